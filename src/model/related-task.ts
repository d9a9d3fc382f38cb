/** The task that a message belongs to, where its `_meta` says so. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';

export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

export function relatedTaskOf({ _meta }: JsonObject): unknown {
  const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined;
  return isObject(related) ? related['taskId'] : undefined;
}
