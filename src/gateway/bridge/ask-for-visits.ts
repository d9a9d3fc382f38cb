/** Translates the error −32042 (the user must visit pages before the call can start) into questions for callers of other revisions. */
import { RpcError } from '../../errors.ts';
import { type JsonObject, notification } from '../../jsonrpc/message.ts';
import { URL_ELICITATION_REQUIRED } from '../../model/elicitation.ts';
import { ELICITATION_COMPLETE } from '../../model/names.ts';
import type { CallState, CarriedResult, RoutedRequest } from '../contract.ts';
import { type CarryContext, failRouted, partReference } from './bridge-context.ts';
import { stateBinding } from './call-states.ts';
import { isAccepted } from './carry-answer.ts';
import { type CarriedQuestion, carryQuestion, type QuestionRoute } from './carry-question.ts';
import { type Visits, visitKey } from './visits.ts';

/** Turns a −32042 error into questions, or into the same error for callers whose revision has it. Rethrows every other error. */
export function askForVisits(
  error: unknown,
  routed: RoutedRequest,
  { client, visits, states, approved, route }: CarryContext,
): CarriedResult {
  const pages = error instanceof RpcError ? client.revision.requiredVisits(error) : [];
  if (pages.length === 0) throw error;
  const { part, revision, push } = routed;
  const questions = pages.map((page) => pageQuestion(page, route));
  if (questions.some((question) => question === undefined)) return unableToVisit(routed);
  const asked = questions as readonly CarriedQuestion[]; // checked in the line above
  const ids = pages.map((page) => String(page['elicitationId']));
  if (revision.hasSessions) {
    // The label in each id keeps ids of two upstreams apart.
    const elicitations = asked.map(({ encoded }, at) => {
      const theirs = ids[at] ?? '';
      const elicitationId = visitKey(part.label, theirs);
      visits.expect(part.label, theirs, () => {
        visits.forget(part.label, theirs);
        push.notify(notification(ELICITATION_COMPLETE, { elicitationId }));
      });
      return { ...encoded, elicitationId };
    });
    throw new RpcError(URL_ELICITATION_REQUIRED, 'Visit these pages first', { elicitations });
  }
  for (const id of ids) visits.expect(part.label, id);
  const inputRequests = Object.fromEntries(
    asked.map((one, at) => [`v${at + 1}`, { method: one.method, params: one.encoded }]),
  );
  const state: CallState = {
    stage: 'visit',
    part: partReference(part),
    ids,
    ...(approved ? { approved: true } : {}),
  };
  const requestState = states.seal(state, stateBinding(routed));
  return { asks: { resultType: 'input_required', inputRequests, requestState } };
}

/** Undefined if this caller cannot be sent to the page. */
function pageQuestion({ message, url }: JsonObject, route: QuestionRoute): CarriedQuestion | undefined {
  try {
    const params = { mode: 'url', message, url };
    return carryQuestion({ method: 'elicitation/create', params }, route);
  } catch {
    return undefined;
  }
}

const unableToVisit = (routed: RoutedRequest): CarriedResult =>
  failRouted(
    routed,
    `"${routed.part.label}" needs the user to visit a page first, and this client cannot be sent there`,
  );

/** Waits for the visits if the user accepted all of them, and returns undefined: send the call again. Otherwise returns the failure. */
export async function afterVisits(routed: RoutedRequest, visits: Visits): Promise<CarriedResult | undefined> {
  const { retry, part, link } = routed;
  if (retry?.state.stage !== 'visit') return undefined;
  const { ids } = retry.state;
  if (ids.every((_, at) => isAccepted(retry.inputResponses[`v${at + 1}`]))) {
    await visits.untilComplete(part.label, ids, link.signal);
    return undefined;
  }
  return failRouted(routed, `The user declined to visit the page that "${part.label}" needs`);
}
