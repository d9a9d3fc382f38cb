/** The way from a task to the conversation that began it, for as long as that lives: progress, log lines and changes of its status. */
import { type JsonObject, notification, type RpcNotification } from '../../jsonrpc/message.ts';
import { PROGRESS } from '../../model/names.ts';
import { withRelatedTask } from '../../model/related-task.ts';
import type { StoredTask } from '../../model/task-record.ts';
import type { CallFacts } from '../call.ts';
import type { TaskCore } from './task-core.ts';
import { toTaskState } from './task-state.ts';

/** For forms whose messages may come at any time, marked with the task that they belong to. */
export function openOutlet(
  task: StoredTask,
  { push, request, logLevel, revision }: CallFacts,
  { outlets, records, forms }: TaskCore,
): void {
  const meta = request.params?.['_meta'] as JsonObject | undefined; // it was looked at before
  const token = meta?.['progressToken'];
  const send = (message: RpcNotification): void => {
    try {
      push?.notify(message);
    } catch {
      // The conversation is over; the task is not.
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
  const look = async (changed: StoredTask | undefined): Promise<void> => {
    // Another process changed it: the record says how.
    const now = changed ?? (await records.find(task.id).catch(() => task));
    if (now === undefined || now.outcome !== undefined) {
      stop();
      outlets.delete(task.id);
    }
    if (now === undefined || now.status === status) return;
    ({ status } = now);
    const form = await forms.find(revision);
    if (form !== undefined) send(form.changed(toTaskState(now, revision)));
  };
  const stop = records.watch(task.id, (changed) => void look(changed));
}
