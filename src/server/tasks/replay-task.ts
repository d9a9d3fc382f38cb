/** Runs the handler of a task from the top, detached from the call that began the task, which has its response. */
import type { JsonObject, RpcRequest } from '../../jsonrpc/message.ts';
import { detachedLink } from '../../peer/call-link.ts';
import { linkWith } from '../../peer/exchange.ts';
import { copyJson } from './copy-json.ts';
import type { TaskCore } from './task-core.ts';
import { newest, type TaskRun } from './task-run.ts';

export function replayTask(run: TaskRun, { settings, catalogue, handlers, outlets }: TaskCore): Promise<JsonObject> {
  const { task } = run;
  const outlet = outlets.get(task.id);
  run.outlet = outlet;
  // A copy, because the handler can mutate its arguments.
  const params = { name: task.tool, arguments: copyJson(task.arguments), _meta: { progressToken: task.id } };
  const request: RpcRequest = { jsonrpc: '2.0', id: task.id, method: 'tools/call', params };
  return handlers.runTool({
    request,
    link: linkWith(detachedLink, run),
    revision: newest,
    settings,
    catalogue,
    caller: task.caller,
    ready: true,
    logLevel: outlet?.logLevel,
    asking: async () => run.questions,
    task: run,
  });
}
