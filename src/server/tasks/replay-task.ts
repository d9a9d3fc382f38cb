/** Runs the handler of a task from the top, in a call of its own: the one that began the task has been answered. */
import type { JsonObject, RpcRequest } from '../../jsonrpc/message.ts';
import { detachedLink } from '../../peer/call-link.ts';
import { type Link, linkWith } from '../../peer/exchange.ts';
import type { CallFacts, TaskHandlers } from '../call.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { ServerSettings } from '../settings.ts';
import { copyJson } from './copy-json.ts';
import { newest, type TaskRun } from './task-run.ts';

/** The way to the caller while its conversation lives: progress and log lines, where the form of the task has them. */
export type TaskOutlet = Pick<CallFacts, 'logLevel'> & Pick<Link, 'notify'>;

export interface TaskReplayContext {
  readonly settings: ServerSettings;
  readonly catalogue: PartCatalogue;
  readonly handlers: TaskHandlers;
}

export function replayTask(
  run: TaskRun,
  outlet: TaskOutlet | undefined,
  { settings, catalogue, handlers }: TaskReplayContext,
): Promise<JsonObject> {
  const { task } = run;
  run.outlet = outlet;
  // The handler can change its own.
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
