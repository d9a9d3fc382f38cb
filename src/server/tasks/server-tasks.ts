/** The switch for tasks: what a server with tasks declares. Everything else is loaded with the first use. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { openParams } from '../../revisions/methods.ts';
import type { RequestFacts, TaskCalls } from '../call.ts';
import type { ServerExtension } from '../extension.ts';
import type { OpenStream } from './listen.ts';
import type { TaskService, TaskServiceContext } from './service.ts';

/** Runs the tasks of a server in processes that serve no clients. */
export interface TaskWorker {
  /** Looks for tasks that no other process runs, and runs them until the signal aborts. */
  work(options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface ServerTasks extends ServerExtension, TaskCalls, TaskWorker {
  /** Answers a request for a stream that names tasks. */
  listen(facts: RequestFacts, open: OpenStream): Promise<JsonObject>;
  /** Goes on with tasks that were left behind, where they outlive their process. */
  recover(): void;
  close(): void;
}

export function openTasks(context: TaskServiceContext): ServerTasks {
  let loading: Promise<TaskService> | undefined;
  const load = (): Promise<TaskService> => {
    loading ??= import('./service.ts').then(({ TaskService }) => new TaskService(context));
    return loading;
  };
  return {
    parts: [],
    declare: (base, { tasks }) => tasks?.declare(base) ?? base,
    method: (name, { tasks }) =>
      tasks?.methods.includes(name) === true
        ? {
            params: openParams,
            answer: async (params, serving) => (await load()).methods.answer(name, params, serving),
          }
        : undefined,
    nameParam: (method) => (/^tasks\/(get|update|cancel)$/.test(method) ? 'taskId' : undefined),
    call: async (part, params, serving) => (await load()).call(part, params, serving),
    listen: async (facts, open) => (await load()).listen(facts, open),
    recover() {
      if (context.options !== true && context.options.store) void load();
    },
    work: async ({ signal }) => (await load()).work(signal),
    close: () => void loading?.then((service) => service.close()),
  };
}
