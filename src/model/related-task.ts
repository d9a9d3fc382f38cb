/** Reads and writes the task that a message belongs to, in its `_meta`. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** Marks a message that belongs to a task. */
export const withRelatedTask = (message: JsonObject, taskId: string): JsonObject => ({
  ...message,
  _meta: { ...(isObject(message['_meta']) ? message['_meta'] : {}), [RELATED_TASK]: { taskId } },
});

export function relatedTaskOf({ _meta }: JsonObject): unknown {
  const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined;
  return isObject(related) ? related['taskId'] : undefined;
}
