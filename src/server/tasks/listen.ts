/** `subscriptions/listen` with `taskIds`: each change of these tasks is told with their whole state. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject, type RpcNotification } from '../../jsonrpc/message.ts';
import { ACKNOWLEDGED, SUBSCRIPTION_ID } from '../../model/names.ts';
import { stringList } from '../../model/shape.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { type Link, linkWith } from '../../peer/exchange.ts';
import type { RequestFacts } from '../call.ts';
import type { TaskMethods } from './methods.ts';
import { toTaskState } from './task-state.ts';

/** Tasks that one stream can watch. */
const MAX_TASK_IDS = 100;

/** Opens the stream of all other changes; what goes out on it can be changed on the way. */
export type OpenStream = (link: Link) => JsonObject | Promise<JsonObject>;

export async function listenForTasks(facts: RequestFacts, methods: TaskMethods, open: OpenStream): Promise<JsonObject> {
  const { request, revision, link } = facts;
  const { notifications } = request.params ?? {};
  if (!isObject(notifications) || notifications['taskIds'] === undefined) return open(link);
  const form = await methods.core.forms.find(revision);
  form?.requireDeclaration(facts.caller);
  const ids = await ownTaskIds(notifications['taskIds'], facts, methods);
  const watched = new Map<string, () => void>();
  const tag = { [SUBSCRIPTION_ID]: request.id };
  const tell = async (id: string): Promise<void> => {
    // A task of another owner is never reported, even if its owner changes.
    const task = await findOwn(id, facts, methods);
    if (task === undefined || form === undefined) return;
    const { method, params } = form.changed(toTaskState(task, revision));
    const key = `${task.version}`;
    if (versions.get(id) === key) return;
    versions.set(id, key);
    link.notify({ jsonrpc: '2.0', method, params: { ...params, _meta: tag } });
    if (task.outcome !== undefined) watched.get(id)?.();
  };
  const versions = new Map<string, string>();
  const fed = open(
    linkWith(link, {
      notify: (message) => link.notify(message.method === ACKNOWLEDGED ? withTaskIds(message, ids) : message),
    }),
  );
  // The state of now comes first: what ended before would never be told.
  for (const id of ids) {
    watched.set(
      id,
      methods.core.records.watch(id, () => void tell(id)),
    );
    void tell(id);
  }
  try {
    return await fed;
  } finally {
    for (const stop of watched.values()) stop();
  }
}

/** The tasks of this caller among those that it names. */
async function ownTaskIds(named: unknown, facts: RequestFacts, methods: TaskMethods): Promise<readonly string[]> {
  const fault = stringList(named, 'params.notifications.taskIds');
  if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `Invalid params for ${facts.request.method}: ${fault}`);
  const ids = [...new Set(named as readonly string[])]; // as just seen
  if (ids.length > MAX_TASK_IDS)
    throw new RpcError(INVALID_PARAMS, `A subscription watches at most ${MAX_TASK_IDS} tasks`);
  const found = await Promise.all(ids.map((id) => findOwn(id, facts, methods)));
  return found.flatMap((task) => (task === undefined ? [] : [task.id]));
}

/** Undefined where the caller has no such task. */
async function findOwn(id: string, facts: RequestFacts, methods: TaskMethods): Promise<StoredTask | undefined> {
  try {
    return await methods.find(id, facts);
  } catch {
    return undefined;
  }
}

function withTaskIds({ method, params }: RpcNotification, taskIds: readonly string[]): RpcNotification {
  const { notifications } = params ?? {};
  const granted = { ...(isObject(notifications) ? notifications : {}), taskIds };
  return { jsonrpc: '2.0', method, params: { ...params, notifications: granted } };
}
