/** Pages that a user must visit before a call can begin: the error −32042 of one revision, as questions of the others. */
import { RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { URL_ELICITATION_REQUIRED } from '../../model/elicitation.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { untilAborted, withTimeout } from '../../peer/wait.ts';
import type { CallState, CarriedResult, RoutedRequest, UpstreamClient } from '../contract.ts';
import { type BridgeContext, failRouted, partReference, questionRouteOf } from './bridge-context.ts';
import { stateBinding } from './call-states.ts';
import { type CarriedQuestion, carryQuestion } from './carry-question.ts';
import { isAccepted } from './relay.ts';

/** How long the call waits for the end of the visits, and where this node will not be told of it. */
const VISIT_MS = 50_000;
const UNTOLD_VISIT_MS = 5_000;
/** Visits that are remembered; the oldest are forgotten first. */
const MAX_VISITS = 1_000;

interface PendingVisit {
  isOver: boolean;
  /** Several requests can wait for the same visit. */
  readonly listeners: (() => void)[];
}

/** Visits of this node, by label and the upstream's id. */
export class Visits {
  readonly #context: Pick<BridgeContext, 'clock'>;
  readonly #pending: Map<string, PendingVisit> = new Map();

  constructor(context: Pick<BridgeContext, 'clock'>) {
    this.#context = context;
  }

  /** The upstream will say when the visit is over, or never. */
  expect(label: string, id: string, listener?: () => void): void {
    setNewest(this.#pending, visitKey(label, id), { isOver: false, listeners: listener ? [listener] : [] }, MAX_VISITS);
  }

  complete(label: string, id: string): void {
    const visit = this.#pending.get(visitKey(label, id));
    if (visit === undefined || visit.isOver) return;
    visit.isOver = true;
    for (const listener of visit.listeners) listener();
  }

  forget(label: string, id: string): void {
    this.#pending.delete(visitKey(label, id));
  }

  /** Resolves when all of these are over, or when it is no use to wait any longer. */
  async over(label: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    const visits = ids.map((id) => this.#pending.get(visitKey(label, id)));
    const isTold = visits.every((visit) => visit !== undefined);
    const over = new Promise<void>((resolve) => {
      const check = (): void => {
        if (visits.every((visit) => visit?.isOver === true)) resolve();
      };
      for (const visit of visits) visit?.listeners.push(check);
      check();
    });
    const ms = isTold ? VISIT_MS : UNTOLD_VISIT_MS;
    await withTimeout(ms, this.#context.clock, untilAborted(over, signal)).catch(() => undefined);
    for (const id of ids) this.forget(label, id);
  }
}

const visitKey = (label: string, id: string): string => `${label} ${id}`;

export interface VisitContext extends BridgeContext {
  readonly client: UpstreamClient;
  readonly visits: Visits;
  readonly approved: boolean;
}

/** What a call came to that failed for lack of a visit: questions, or the error as the caller's revision has it. Otherwise throws the error. */
export function askForVisits(
  error: unknown,
  routed: RoutedRequest,
  { client, visits, ...context }: VisitContext,
): CarriedResult {
  const pages = error instanceof RpcError ? client.revision.visitsFirst(error) : [];
  if (pages.length === 0) throw error;
  const { part, revision } = routed;
  const questions = pages.map((page) => pageQuestion(page, routed, context));
  if (questions.some((question) => question === undefined)) return unableToVisit(routed);
  const asked = questions as readonly CarriedQuestion[]; // none is missing
  const ids = pages.map((page) => String(page['elicitationId']));
  if (revision.hasSessions) throw visitsFirst(asked, ids, part.label);
  for (const id of ids) visits.expect(part.label, id);
  const inputRequests = Object.fromEntries(
    asked.map((one, at) => [`v${at + 1}`, { method: one.method, params: one.encoded }]),
  );
  const state: CallState = {
    stage: 'visit',
    part: partReference(part),
    ids,
    ...(context.approved ? { approved: true } : {}),
  };
  const requestState = context.states.seal(state, stateBinding(routed));
  return { asks: { resultType: 'input_required', inputRequests, requestState } };
}

/** Undefined where the caller cannot be sent there. */
function pageQuestion(
  { message, url }: JsonObject,
  routed: RoutedRequest,
  { upstreams }: Pick<BridgeContext, 'upstreams'>,
): CarriedQuestion | undefined {
  try {
    const params = { mode: 'url', message, url };
    return carryQuestion({ method: 'elicitation/create', params }, questionRouteOf(routed, upstreams));
  } catch {
    return undefined;
  }
}

/** For a caller whose revision has this error, as those with pages and sessions do, with ids that are not those of another upstream. */
function visitsFirst(questions: readonly CarriedQuestion[], ids: readonly string[], label: string): RpcError {
  const elicitations = questions.map(({ encoded }, at) => ({
    ...encoded,
    elicitationId: visitKey(label, ids[at] ?? ''),
  }));
  return new RpcError(URL_ELICITATION_REQUIRED, 'Visit these pages first', { elicitations });
}

const unableToVisit = (routed: RoutedRequest): CarriedResult =>
  failRouted(
    routed,
    `"${routed.part.label}" needs the user to visit a page first, and this client cannot be sent there`,
  );

/** Undefined when every page was agreed to and the call can be sent again; otherwise what the call came to. */
export async function afterVisits(routed: RoutedRequest, visits: Visits): Promise<CarriedResult | undefined> {
  const { retry, part, link } = routed;
  if (retry?.state.stage !== 'visit') return undefined;
  const { ids } = retry.state;
  if (ids.every((_, at) => isAccepted(retry.inputResponses[`v${at + 1}`]))) {
    await visits.over(part.label, ids, link.signal);
    return undefined;
  }
  return failRouted(routed, `The user declined to visit the page that "${part.label}" needs`);
}
