/** Carries a call between two sides without server requests: wraps the upstream's `requestState` into the gateway's own. */
import { messageOf, RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { InputRequests } from '../../revisions/contract.ts';
import { checkQuestions } from '../../revisions/decode.ts';
import type { CallState, CarriedResult, RoutedRequest } from '../contract.ts';
import { type BridgeContext, type CarryContext, partReference, reportsTo, watchCancelled } from './bridge-context.ts';
import { stateBinding } from './call-states.ts';
import { carryQuestion } from './carry-question.ts';

/** The caller has its own limit; this one protects the gateway from an endless exchange. */
const MAX_RELAYED_ROUNDS = 20;

export async function carryByRelay(routed: RoutedRequest, context: CarryContext): Promise<CarriedResult> {
  const { part, method, link, retry } = routed;
  const { client, release } = context;
  const before = retry?.state.stage === 'relay' ? retry.state : undefined;
  const answers = before === undefined ? answersInAdvance(routed) : answersFor(before.theirs, retry);
  const params = answers === undefined ? routed.params : { ...routed.params, ...answers };
  const { logLevel, onLog, onProgress } = reportsTo(routed, context);
  const isCancelled = watchCancelled(link);
  try {
    const result = await client.request(method, params, {
      capabilities: context.route.capabilities,
      link,
      logLevel,
      onLog,
      onProgress,
    });
    const asked = client.revision.asks.inputRequests(result);
    if (asked === undefined) return { result, from: client.revision };
    const round = (before?.round ?? 0) + 1;
    if (round > MAX_RELAYED_ROUNDS)
      throw new RpcError(INTERNAL_ERROR, `"${part.label}" asked for input more than ${MAX_RELAYED_ROUNDS} times`);
    return { asks: relayQuestions(routed, asked, context, round) };
  } finally {
    release(!isCancelled());
  }
}

/** Answers that a caller sends with its first request go to the upstream, which can ignore them. */
function answersInAdvance({ request, retry }: RoutedRequest): JsonObject | undefined {
  const inputResponses = request.params?.['inputResponses'];
  return retry === undefined && isObject(inputResponses) ? { inputResponses } : undefined;
}

/** The retry for the upstream: its own state, if it sent one, and the answers to its questions. */
const answersFor = (theirs: string | undefined, retry: RoutedRequest['retry']): JsonObject => ({
  inputResponses: retry?.inputResponses ?? {},
  ...(theirs === undefined ? {} : { requestState: theirs }),
});

function relayQuestions(routed: RoutedRequest, asked: InputRequests, context: CarryContext, round: number): JsonObject {
  const { part } = routed;
  const { requests, state: theirs } = asked;
  const inputRequests: Record<string, JsonObject> = Object.create(null);
  try {
    checkQuestions(routed.method, asked);
    for (const [key, question] of requests) {
      const { method, encoded } = carryQuestion(question, context.route);
      inputRequests[key] = { method, params: encoded };
    }
  } catch (error) {
    // `input_required` cannot be rejected in part, so the whole call fails.
    throw questionViolation(error, part.label, context);
  }
  const state: CallState = {
    stage: 'relay',
    part: partReference(part),
    round,
    ...(theirs === undefined ? {} : { theirs }),
    ...(context.approved ? { approved: true } : {}),
  };
  const requestState = context.states.seal(state, stateBinding(routed));
  return { resultType: 'input_required', ...(requests.size === 0 ? {} : { inputRequests }), requestState };
}

/** Counts and reports a question that the upstream must not ask this caller. */
export function questionViolation(
  error: unknown,
  label: string,
  { metrics }: Pick<BridgeContext, 'metrics'>,
): RpcError {
  metrics?.count('upstream_violations_total', { upstream: label, what: 'question' });
  const why = messageOf(error);
  return new RpcError(INTERNAL_ERROR, `"${label}" asked a question that this caller cannot answer: ${why}`);
}
