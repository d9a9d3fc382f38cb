/** Asking the client's model: what of a request the client can do, and how its answer is read. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../model/caller.ts';
import type { CreateMessageParams, CreateMessageResult } from '../model/sampling.ts';
import { blocksOf } from '../model/sampling-fault.ts';
import type { Vocabulary } from '../revisions/words.ts';
import { checker, describe } from '../schema/index.ts';

/** Context from other servers is for clients that said they can give it, where they can say so. */
export function withinReach(params: CreateMessageParams, has: ClientCapabilities, words: Vocabulary): JsonObject {
  const { includeContext = 'none', ...rest } = params;
  const declares = words.members.SamplingCapability.includes('context');
  const refrain = declares && !isObject(has.sampling?.context);
  return includeContext === 'none' || refrain ? rest : { ...rest, includeContext };
}

/** What is wrong with a structured result of a tool that promised another. A tool that failed has promised nothing. */
export async function structureFault(params: CreateMessageParams, what: string): Promise<string | undefined> {
  const { messages, tools = [] } = params;
  const blocks = messages.flatMap(({ content }) => blocksOf(content));
  const names = new Map(blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name]] : [])));
  for (const block of blocks) {
    if (block.type !== 'tool_result' || !('structuredContent' in block) || block.isError === true) continue;
    const { name, outputSchema } = tools.find((one) => one.name === names.get(block.toolUseId)) ?? {};
    if (outputSchema === undefined) continue;
    const result = `the result of tool "${name}" in ${what}`;
    const checked = await checker(outputSchema, { what: result, side: 'output' }).check(block.structuredContent);
    if (!checked.ok) return `${result} does not fit its outputSchema: ${describe(checked.issues)}`;
  }
  return undefined;
}

/** Reasons to stop as other protocols spell them, which some clients pass on. */
const reasons: ReadonlyMap<unknown, string> = new Map([
  ['end_turn', 'endTurn'],
  ['stop_sequence', 'stopSequence'],
  ['max_tokens', 'maxTokens'],
  ['tool_use', 'toolUse'],
]);

export function spoken(answer: JsonObject): CreateMessageResult {
  const own = reasons.get(answer['stopReason']);
  const message: unknown = own === undefined ? answer : { ...answer, stopReason: own };
  return message as CreateMessageResult; // its shape was checked on the way in
}
