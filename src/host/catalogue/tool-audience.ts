/** Who a tool is for, and which view shows its result, as its server says in `_meta.ui`. */
import { isObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';

/** Both, unless the tool names some. */
export function isToolFor(audience: 'model' | 'app', { _meta: meta = {} }: Pick<Tool, '_meta'>): boolean {
  const { ui } = meta;
  const visibility = isObject(ui) ? ui['visibility'] : undefined;
  return !Array.isArray(visibility) || visibility.includes(audience);
}

/** The URI of the view; undefined where the tool has none. The flat member is how it was spelled first. */
export function viewUriOf({ _meta: meta = {} }: Pick<Tool, '_meta'>): string | undefined {
  const { ui } = meta;
  const uri = isObject(ui) && ui['resourceUri'] !== undefined ? ui['resourceUri'] : meta['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined;
}
