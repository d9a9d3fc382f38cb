/** `tools/call`: the arguments are checked, the tool runs, what went wrong is told to those who can use it. */
import { RpcError, ToolError } from '../../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Content } from '../../model/content.ts';
import { encodeCallResult } from '../../revisions/encode.ts';
import { describe } from '../../schema/index.ts';
import type { Call } from '../call.ts';
import type { ToolPart } from '../part.ts';
import { resultOf } from '../reply.ts';
import { isUnaskable } from './guarded.ts';
import type { Serving } from './serving.ts';

export async function callTool(params: JsonObject, serving: Serving): Promise<JsonObject> {
  const { catalogue, revision, call } = serving;
  const name = params['name'] as string; // the params' shape was checked
  const part = catalogue.tools.get(name);
  if (part === undefined) throw new RpcError(INVALID_PARAMS, `Unknown tool: ${name}`);
  call.what = `tool "${name}"`;
  const given = isObject(params['arguments']) ? params['arguments'] : {};
  const pending = part.input?.check(given) ?? { ok: true, value: {} };
  const checked = pending instanceof Promise ? await pending : pending;
  if (!checked.ok) {
    const why = `Invalid arguments for tool "${name}": ${describe(checked.issues)}`;
    if (revision.badArguments === 'error') throw new RpcError(INVALID_PARAMS, why, { issues: checked.issues });
    return failed(why);
  }
  const outcome = await run(part, checked.value, serving);
  return 'resultType' in outcome ? outcome : encodeCallResult(revision.words, outcome, 'CallToolResult');
}

async function run(part: ToolPart, input: unknown, { call, settings }: Serving): Promise<JsonObject> {
  try {
    const result = await resultOf(part, await part.run(input, call));
    const interim = call.suspended();
    return (interim && (await interim)) ?? { ...result };
  } catch (thrown) {
    return (await call.suspended(thrown)) ?? failure(thrown, call, settings.report);
  }
}

/** What the model may know: its own mistakes and the tool's words; of anything else, an id. */
function failure(thrown: unknown, call: Call, report: Serving['settings']['report']): JsonObject {
  if (thrown instanceof RpcError) throw thrown;
  if (thrown instanceof ToolError) return { content: thrown.content as readonly Content[], isError: true }; // text, or blocks the author gave
  if (isUnaskable(thrown)) return failed(thrown.message);
  return failed(`Internal error (${report(thrown, call.what)})`);
}

const failed = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });
