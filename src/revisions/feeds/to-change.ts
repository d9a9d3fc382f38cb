/** Client: converts change notifications to changes. */
import type { RpcNotification } from '../../jsonrpc/message.ts';
import type { Change } from '../../model/change.ts';
import { PROMPTS_CHANGED, RESOURCE_UPDATED, RESOURCES_CHANGED, TOOLS_CHANGED } from '../../model/names.ts';

/** Returns the change that a notification reports; undefined for other notifications. */
export function toChange({ method, params }: RpcNotification): Change | undefined {
  if (method === TOOLS_CHANGED) return { kind: 'tools' };
  if (method === PROMPTS_CHANGED) return { kind: 'prompts' };
  if (method === RESOURCES_CHANGED) return { kind: 'resources' };
  const uri = params?.['uri'];
  return method === RESOURCE_UPDATED && typeof uri === 'string' ? { kind: 'resource', uri } : undefined;
}
