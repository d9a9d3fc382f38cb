/** `tools/call`: checks the arguments, runs the tool, and turns a failure into a result that the model can read. */
import { RpcError, ToolError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import { encodeCallResult } from '../../revisions/encode.ts';
import { type Checked, describe, firstIssues } from '../../schema/index.ts';
import { type CallDetails, HandlerCall, type MethodHandler } from '../call.ts';
import type { DefinedTool } from '../part.ts';
import { toToolResult } from '../reply.ts';
import { CANCELLED_TEXT, isCancellation, isMissingQuestion } from './run-handler.ts';

export const callTool: MethodHandler = (params, details, call) => {
  const { catalogue, tasks } = details;
  const name = params['name'] as string; // the params' shape was checked
  const part = catalogue.tools.get(name);
  if (part === undefined) throw new RpcError(INVALID_PARAMS, `Unknown tool: ${name}`);
  if (tasks !== undefined && (part.task ?? params['task']) !== undefined) {
    const task = tasks.call(part, details, call);
    if (task instanceof Promise)
      return task.then((answer) => answer ?? callTool(params, { ...details, tasks: undefined }, call));
    if (task !== undefined) return task;
  }
  call.what = `tool "${name}"`;
  const given = params['arguments'] ?? {};
  const checked: Checked | Promise<Checked> = part.input?.check(given) ?? { ok: true, value: {} };
  return checked instanceof Promise
    ? checked.then((outcome) => runIfValid(part, outcome, details, call))
    : runIfValid(part, checked, details, call);
};

/** Runs a call that is a task, or can become one, which `details` determines. */
export async function runToolRequest(details: CallDetails): Promise<JsonObject> {
  const call = new HandlerCall(details);
  try {
    return await callTool(details.request.params ?? {}, details, call);
  } finally {
    call.finish();
  }
}

function runIfValid(
  part: DefinedTool,
  checked: Checked,
  details: CallDetails,
  call: HandlerCall,
): JsonObject | Promise<JsonObject> {
  if (checked.ok) return runTool(part, checked.value, details, call);
  const why = `Invalid arguments for tool "${part.definition.name}": ${describe(checked.issues)}`;
  if (details.revision.badArguments === 'error')
    throw new RpcError(INVALID_PARAMS, why, { issues: firstIssues(checked.issues) });
  return errorResult(why);
}

async function runTool(
  part: DefinedTool,
  input: unknown,
  { revision, settings }: CallDetails,
  call: HandlerCall,
): Promise<JsonObject> {
  let outcome: JsonObject;
  try {
    const made = toToolResult(part, await part.run(input, call));
    outcome = made instanceof Promise ? await made : made;
    const suspended = call.interimResult();
    const interim = suspended && (await suspended);
    if (interim !== undefined) return interim;
  } catch (thrown) {
    const interim = await call.interimResult(thrown);
    if (interim !== undefined) return interim;
    outcome = toErrorResult(thrown, call, settings.report);
  }
  return encodeCallResult(revision.vocabulary, outcome, 'CallToolResult');
}

/** The error that a model can read: its own mistakes, and the tool's own message; of any other exception, only an id. */
function toErrorResult(thrown: unknown, call: HandlerCall, report: CallDetails['settings']['report']): JsonObject {
  if (thrown instanceof RpcError) throw thrown;
  if (thrown instanceof ToolError) return { content: thrown.content as readonly Content[], isError: true }; // text, or blocks the author gave
  if (isMissingQuestion(thrown)) return errorResult(thrown.message);
  if (isCancellation(thrown, call)) return errorResult(CANCELLED_TEXT);
  return errorResult(`Internal error (${report(thrown, call.what)})`);
}

const errorResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });
