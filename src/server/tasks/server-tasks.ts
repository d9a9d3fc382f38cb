/** The switch for tasks: what a server with tasks declares. Everything else is loaded with the first use. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { openParams } from '../../revisions/methods.ts';
import type { RequestFacts, TaskCalls } from '../call.ts';
import type { ExtensionMethod, ServerExtension } from '../extension.ts';
import type { OpenStream } from './listen.ts';
import type { NowOrLater } from './now-or-later.ts';
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

/** Methods of one task, which is named in a header. */
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
  /** Waiting for what is there would cost each call. */
  const use = <T>(work: (service: TaskService) => NowOrLater<T>): NowOrLater<T> =>
    loaded === undefined ? load().then(work) : work(loaded);
  const methods = new Map<string, ExtensionMethod>();
  const addMethod = (name: string): ExtensionMethod => {
    const method: ExtensionMethod = {
      params: openParams,
      answer: (params, facts) => use((service) => service.methods.answer(name, params, facts)),
    };
    methods.set(name, method);
    return method;
  };
  return {
    parts: [],
    declare: (base, { tasks }) => tasks?.declare(base) ?? base,
    method: (name, { tasks }) =>
      tasks?.methods.includes(name) === true ? (methods.get(name) ?? addMethod(name)) : undefined,
    nameParam: (method) => (named.includes(method) ? 'taskId' : undefined),
    call: (part, facts, call) => use((service) => service.call(part, facts, call)),
    listen: async (facts, open) => use((service) => service.listen(facts, open)),
    recover() {
      if (context.options !== true && context.options.store) void load();
    },
    work: async ({ signal }) => use((service) => service.work(signal)),
    close: () => void loading?.then((service) => service.close()),
  };
}
