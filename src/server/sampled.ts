/** Asking the client's model: what of a request the client can do, and how its answer is read. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../model/caller.ts';
import type { CreateMessageParams, CreateMessageResult } from '../model/sampling.ts';
import type { Words } from '../revisions/words.ts';

/** Context from other servers is for clients that said they can give it, where they can say so. */
export function withinReach(params: CreateMessageParams, has: ClientCapabilities, words: Words): JsonObject {
  const { includeContext = 'none', ...rest } = params;
  const declares = words.members.SamplingCapability.includes('context');
  const refrain = declares && !isObject(has.sampling?.context);
  return includeContext === 'none' || refrain ? rest : { ...rest, includeContext };
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
