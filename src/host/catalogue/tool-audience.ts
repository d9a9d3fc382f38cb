/** Reads `_meta.ui` of a tool: its audience, and the view for its result. */
import { isObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';

/** Whether models or views can use the tool. Default: both. */
export function isToolFor(audience: 'model' | 'app', { _meta: meta = {} }: Pick<Tool, '_meta'>): boolean {
  const { ui } = meta;
  const visibility = isObject(ui) ? ui['visibility'] : undefined;
  return !Array.isArray(visibility) || visibility.includes(audience);
}

/** The URI of the tool's view, if any. `ui/resourceUri` is the older spelling. */
export function viewUriOf({ _meta: meta = {} }: Pick<Tool, '_meta'>): string | undefined {
  const { ui } = meta;
  const uri = isObject(ui) && ui['resourceUri'] !== undefined ? ui['resourceUri'] : meta['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
}
