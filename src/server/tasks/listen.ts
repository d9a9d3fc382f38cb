/** `subscriptions/listen` with `taskIds`: sends the whole state of these tasks on each change. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject, type RpcNotification } from '../../jsonrpc/message.ts';
import { ACKNOWLEDGED, SUBSCRIPTION_ID } from '../../model/names.ts';
import { stringList } from '../../model/shape.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { type Link, linkWith } from '../../peer/exchange.ts';
import type { RequestDetails } from '../call.ts';
import type { TaskMethods } from './methods.ts';
import { toTaskState } from './task-state.ts';

/** Tasks that one stream can watch. */
const MAX_TASK_IDS = 100;

/** Opens the stream of all other changes, on a link that can rewrite its messages. */
export type OpenStream = (link: Link) => JsonObject | Promise<JsonObject>;

export async function listenForTasks(
  details: RequestDetails,
  methods: TaskMethods,
  open: OpenStream,
): Promise<JsonObject> {
  const { request, revision, link } = details;
  const { notifications } = request.params ?? {};
  if (!isObject(notifications) || notifications['taskIds'] === undefined) return open(link);
  const form = await methods.core.forms.find(revision);
  form?.requireDeclaration(details.caller);
  const ids = await ownTaskIds(notifications['taskIds'], details, methods);
  const tag = { [SUBSCRIPTION_ID]: request.id };
  const watchTask = (id: string): (() => void) => {
    let version = 0;
    let sent = '';
    const sendState = async (): Promise<void> => {
      // Looks up the task as this caller each time, so that a task whose owner has changed is not reported.
      const task = await findOwn(id, details, methods);
      if (task === undefined || form === undefined || task.version <= version) return;
      ({ version } = task);
      if (task.outcome !== undefined) stop();
      const { method, params } = form.encodeChanged(toTaskState(task, revision));
      // Many versions change only what clients do not see, such as the lease.
      const text = JSON.stringify(params);
      if (text === sent) return;
      sent = text;
      link.notify({ jsonrpc: '2.0', method, params: { ...params, _meta: tag } });
    };
    // The transport ends a stream that cannot be written to.
    const send = (): void => void sendState().catch(() => undefined);
    const stop = methods.core.records.watch(id, send);
    // Sends the current state first, because a task that has already ended will not change again.
    send();
    return stop;
  };
  const fed = open(
    linkWith(link, {
      notify: (message) => link.notify(message.method === ACKNOWLEDGED ? withTaskIds(message, ids) : message),
    }),
  );
  const watched = ids.map(watchTask);
  try {
    return await fed;
  } finally {
    for (const stop of watched) stop();
  }
}

/** The named ids that are tasks of this caller. */
async function ownTaskIds(named: unknown, details: RequestDetails, methods: TaskMethods): Promise<readonly string[]> {
  const fault = stringList(named, 'params.notifications.taskIds');
  if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `Invalid params for ${details.request.method}: ${fault}`);
  const ids = [...new Set(named as readonly string[])]; // stringList checked it
  if (ids.length > MAX_TASK_IDS)
    throw new RpcError(INVALID_PARAMS, `A subscription watches at most ${MAX_TASK_IDS} tasks`);
  const found = await Promise.all(ids.map((id) => findOwn(id, details, methods)));
  return found.flatMap((task) => (task === undefined ? [] : [task.id]));
}

/** Undefined if the caller has no such task. */
async function findOwn(id: string, details: RequestDetails, methods: TaskMethods): Promise<StoredTask | undefined> {
  try {
    return await methods.find(id, details);
  } catch {
    return undefined;
  }
}

function withTaskIds({ method, params }: RpcNotification, taskIds: readonly string[]): RpcNotification {
  const { notifications } = params ?? {};
  const granted = { ...(isObject(notifications) ? notifications : {}), taskIds };
  return { jsonrpc: '2.0', method, params: { ...params, notifications: granted } };
}
