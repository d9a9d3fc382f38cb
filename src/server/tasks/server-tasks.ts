/** Adds tasks to a server: declares the capability and the methods. The task service is loaded with the first use. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { openParams } from '../../revisions/methods.ts';
import type { RequestDetails, TaskCalls } from '../call.ts';
import type { ExtensionMethod, ServerExtension } from '../extension.ts';
import type { OpenStream } from './listen.ts';
import type { NowOrLater } from './now-or-later.ts';
import type { TaskService, TaskServiceContext } from './service.ts';

/** Runs the tasks of a server in processes that serve no clients. */
export interface TaskWorker {
  /** Polls for tasks that no other process runs, and runs them until the signal aborts. */
  work(options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface ServerTasks extends ServerExtension, TaskCalls, TaskWorker {
  /** Answers `subscriptions/listen`, which can name tasks. */
  listen(details: RequestDetails, open: OpenStream): Promise<JsonObject>;
  /** The parameter that the HTTP header `Mcp-Name` mirrors. */
  nameParam(method: string): string | undefined;
  /** Starts the recovery of interrupted tasks, if the application has a store: tasks in memory do not survive a restart. */
  recover(): void;
  close(): void;
}

/** Methods that act on one task, whose id is in the header `Mcp-Name`. */
const named: readonly string[] = ['tasks/get', 'tasks/update', 'tasks/cancel'];

export function openTasks(context: TaskServiceContext): ServerTasks {
  let loading: Promise<TaskService> | undefined;
  let loaded: TaskService | undefined;
  const load = (): Promise<TaskService> => {
    loading ??= import('./service.ts').then(({ TaskService }) => {
      loaded = new TaskService(context);
      return loaded;
    });
    return loading;
  };
  /** Calls the service synchronously if it is loaded: awaiting it would cost each call a turn. */
  const use = <T>(work: (service: TaskService) => NowOrLater<T>): NowOrLater<T> =>
    loaded === undefined ? load().then(work) : work(loaded);
  const method: ExtensionMethod = {
    params: openParams,
    answer: (params, details) => use((service) => service.methods.answer(params, details)),
  };
  return {
    parts: [],
    declare: (base, { tasks }) => tasks?.declare(base) ?? base,
    method: (name, { tasks }) => (tasks?.methods.includes(name) ? method : undefined),
    nameParam: (method) => (named.includes(method) ? 'taskId' : undefined),
    call: (part, details, call) => use((service) => service.call(part, details, call)),
    listen: async (details, open) => use((service) => service.listen(details, open)),
    recover() {
      if (context.options !== true && context.options.store) void load();
    },
    work: async ({ signal }) => use((service) => service.work(signal)),
    close: () => void loading?.then((service) => service.close()),
  };
}
