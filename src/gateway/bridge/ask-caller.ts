/** Sends the gateway's own form to a caller: as a request over the open link, or inside an `input_required` result. */
import { RpcError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ElicitResult, FormSchema } from '../../model/elicitation.ts';
import { MISSING_CAPABILITY } from '../../model/names.ts';
import { cannotAskError, missingCapability } from '../../revisions/asks/question.ts';
import type { Question } from '../../revisions/contract.ts';
import { encodeQuestion } from '../../revisions/encode-questions.ts';
import type { RoutedRequest } from '../contract.ts';
import { type BridgeContext, partReference } from './bridge-context.ts';
import { stateBinding } from './call-states.ts';
import { carryAnswer } from './carry-answer.ts';
import { askOverLink } from './carry-live.ts';

/** The key of the form in `inputRequests`. A retry is recognized by the stage of its sealed state, never by this key. */
const POLICY_KEY = 'policy';

/** How long the caller has to answer. */
const QUESTION_MS = 5 * 60_000;

export interface CallerForm {
  readonly message: string;
  readonly requestedSchema: FormSchema;
}

/**
 * Returns the caller's answer, or the `input_required` result that asks for it. A caller in a session that cannot be asked, or does
 * not answer, counts as cancelled. A caller without a session that did not declare forms gets −32021.
 */
export async function askCaller(
  routed: RoutedRequest,
  form: CallerForm,
  { states, clock }: Pick<BridgeContext, 'states' | 'clock'>,
): Promise<ElicitResult | { readonly asks: JsonObject }> {
  const { revision, caller, link, retry } = routed;
  const question: Question = { method: 'elicitation/create', params: { mode: 'form', ...form } };
  const route = { from: revision, to: revision };
  if (retry?.state.stage === 'policy')
    return elicitResult(carryAnswer(question, retry.inputResponses[POLICY_KEY], route));
  const missing = revision.methods.questions.has(question.method)
    ? missingCapability(question, caller.capabilities, revision.vocabulary)
    : { elicitation: { form: {} } };
  if (revision.hasServerRequests) {
    if (missing !== undefined) return { action: 'cancel' };
    const params = encodeQuestion(revision.vocabulary, question);
    const answer = await askOverLink(link, { method: question.method, params }, { clock, ms: QUESTION_MS });
    return elicitResult(carryAnswer(question, answer, route));
  }
  if (missing !== undefined)
    throw new RpcError(MISSING_CAPABILITY, cannotAskError(question, missing).message, {
      requiredCapabilities: missing,
    });
  const state = { stage: 'policy', part: partReference(routed.part) } as const;
  const requestState = states.seal(state, stateBinding(routed));
  const params = encodeQuestion(revision.vocabulary, question);
  const inputRequests = { [POLICY_KEY]: { method: question.method, params } };
  return { asks: { resultType: 'input_required', inputRequests, requestState } };
}

function elicitResult(answer: JsonObject | undefined): ElicitResult {
  const { action, content } = answer ?? {};
  if (action === 'accept')
    return { action, ...(isObject(content) ? { content: content as ElicitResult['content'] & {} } : {}) }; // carryAnswer checked the content
  return { action: action === 'decline' ? action : 'cancel' };
}
