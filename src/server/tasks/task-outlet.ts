/** Sends progress, log lines and status changes of a task to the conversation that began it, while that is open. */
import { type JsonObject, notification, type RpcNotification } from '../../jsonrpc/message.ts';
import { PROGRESS } from '../../model/names.ts';
import { withRelatedTask } from '../../model/related-task.ts';
import type { StoredTask } from '../../model/task-record.ts';
import type { CallDetails } from '../call.ts';
import type { TaskCore } from './task-core.ts';
import { toTaskState } from './task-state.ts';

/** Opens the outlet of a task, for forms that can send messages at any time, marked with their task. */
export function openOutlet(
  task: StoredTask,
  { push, request, logLevel, revision }: CallDetails,
  { outlets, records, forms }: TaskCore,
): void {
  const meta = request.params?.['_meta'] as JsonObject | undefined; // requestMetaFault checked it
  const token = meta?.['progressToken'];
  const send = (message: RpcNotification): void => {
    try {
      push?.notify(message);
    } catch {
      // The conversation has ended, but the task continues.
    }
  };
  outlets.set(task.id, {
    logLevel,
    notify({ method, params = {} }) {
      if (method === PROGRESS && token === undefined) return;
      const own = method === PROGRESS ? { ...params, progressToken: token } : params;
      send(notification(method, withRelatedTask(own, task.id)));
    },
  });
  let { status } = task;
  const onChange = async (changed: StoredTask | undefined): Promise<void> => {
    // Without a record, another process changed the task.
    const now = changed ?? (await records.find(task.id).catch(() => task));
    if (now === undefined || now.outcome !== undefined) {
      stop();
      outlets.delete(task.id);
    }
    if (now === undefined || now.status === status) return;
    ({ status } = now);
    const form = await forms.find(revision);
    if (form !== undefined) send(form.encodeChanged(toTaskState(now, revision)));
  };
  const stop = records.watch(task.id, (changed) => void onChange(changed));
}
