/** Runs tool calls that the user typed, and checks results against the output schema. */
import { messageOf } from '../errors.ts';
import { toWireResult } from '../host/apps/view-acts.ts';
import { estimateTokens } from '../host/catalogue/tokens.ts';
import type { CatalogueTool, HostTask, HostTicket } from '../host/index.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { untilAborted } from '../peer/wait.ts';
import { foreignChecker } from '../schema/index.ts';
import type { CallParams, CallValue, OutputFault } from './protocol-rows.ts';
import type { WorkbenchCore } from './workbench-core.ts';

export interface CallContext {
  readonly params: Pick<CallParams, 'server' | 'tool' | 'arguments' | 'task'>;
  readonly ref: string;
  readonly options: Parameters<WorkbenchCore['session']['call']>[2];
  /** Called if the call became a task. */
  follow(task: HostTask, ticket: HostTicket): void;
}

/** Runs the call within `runTyped`: the user typed it, so it is allowed unless a rule of the user or the lock objects. */
export async function runCall(bench: WorkbenchCore, { params, ref, options, follow }: CallContext): Promise<CallValue> {
  const { server, tool } = params;
  // The list waits for servers that are being opened.
  const found = await untilAborted(findTool(bench, server, tool), options?.signal);
  const name = found?.name ?? `${server}.${tool}`;
  const resultOf = (result: JsonObject): Promise<CallValue> => callValue(bench, { ref, found, result });
  return bench.options.runTyped({ server, name: tool }, async () => {
    if (params.task === true) {
      const { task } = await bench.session.start(name, params.arguments, options);
      if (task.ticket === undefined) return resultOf(toWireResult(await task.result()));
      follow(task, task.ticket);
      return { ...(await resultOf({})), ticket: task.ticket.id };
    }
    try {
      return await resultOf(toWireResult(await bench.session.call(name, params.arguments, options)));
    } catch (error) {
      // A result that violates its output schema is shown as well, with the violations.
      if (!(isObject(error) && error['code'] === 'MCP_OUTPUT_MISMATCH')) throw error;
      return resultOf({});
    }
  });
}

export async function findTool(bench: WorkbenchCore, server: string, key: string): Promise<CatalogueTool | undefined> {
  const tools = await bench.session.catalogue.tools();
  return tools.find((one) => one.server === server && one.definition.name === key);
}

interface RawResult {
  readonly ref: string;
  readonly found: CatalogueTool | undefined;
  /** Used if the timeline has no response to the call. */
  readonly result: JsonObject;
}

/** The result as it is in the timeline, masked, or else `result`. */
export async function callValue(bench: WorkbenchCore, { ref, found, result }: RawResult): Promise<CallValue> {
  const last = bench.history.spansOf(ref).findLast(({ method }) => method === 'tools/call');
  const response = last === undefined ? undefined : bench.history.response(last.id)?.['result'];
  const raw =
    isObject(response) && Array.isArray(response['content']) ? response : bench.scrub(found?.server ?? '', result);
  return {
    result: raw,
    isError: raw['isError'] === true,
    tokens: estimateTokens(JSON.stringify(raw['structuredContent'] ?? raw['content'] ?? '')),
    output: await outputOf(found?.definition.outputSchema, raw),
  };
}

async function outputOf(schema: JsonObject | undefined, result: JsonObject): Promise<CallValue['output']> {
  if (schema === undefined || result['isError'] === true || result['content'] === undefined)
    return { state: 'none', faults: [] };
  const faults = await faultsOf(schema, result['structuredContent']);
  return { state: faults.length === 0 ? 'valid' : 'invalid', faults };
}

async function faultsOf(schema: JsonObject, value: unknown): Promise<readonly OutputFault[]> {
  try {
    const checked = await foreignChecker(schema, 'the output').check(value);
    return checked.ok ? [] : checked.issues.map(({ path, message }) => ({ path, message }));
  } catch (error) {
    return [{ path: '', message: `the output schema is invalid: ${messageOf(error)}` }];
  }
}
