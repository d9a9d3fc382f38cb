/** What the three ways of carrying a call share: dependencies, progress and log reports, and the errors of a failed call. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, type JsonObject, notification } from '../../jsonrpc/message.ts';
import { atLeast } from '../../model/logging.ts';
import { MESSAGE, PROGRESS } from '../../model/names.ts';
import { metaOf } from '../../peer/call-link.ts';
import type { Clock } from '../../peer/clock.ts';
import { type Link, whenAborted } from '../../peer/exchange.ts';
import { Throttle } from '../../peer/throttle.ts';
import { pickKnown } from '../../revisions/encode.ts';
import type {
  CallReports,
  CarriedResult,
  GatewayMetrics,
  GatewayRequest,
  PartReference,
  RoutedRequest,
  UpstreamLease,
  UpstreamQuestions,
} from '../contract.ts';
import type { UpstreamSettings } from '../upstreams/upstream-settings.ts';
import type { CallStates } from './call-states.ts';
import type { QuestionRoute } from './carry-question.ts';
import { questionCapabilities } from './question-capabilities.ts';
import type { Visits } from './visits.ts';

export interface BridgeContext {
  readonly states: CallStates;
  readonly clock: Clock;
  readonly metrics?: GatewayMetrics | undefined;
}

/** The context of one call on the upstream conversation that it uses. */
export interface CarryContext extends BridgeContext, UpstreamLease {
  /** Where questions of the upstream go. */
  readonly route: QuestionRoute;
  readonly settings: Pick<UpstreamSettings, 'timeouts' | 'limits'>;
  readonly visits: Visits;
  /** Whether the caller's user approved the call because a rule asked. */
  readonly approved: boolean;
}

/** Progress and log messages of one call beyond this rate are dropped. */
const MAX_REPORTS_PER_SECOND = 2_000;

export const partReference = ({ label, kind, key }: PartReference): PartReference => ({ label, kind, key });

export function questionRouteOf(
  { part, caller, revision }: Pick<RoutedRequest, 'part' | 'caller' | 'revision'>,
  settings: UpstreamQuestions,
): QuestionRoute {
  const capabilities = questionCapabilities(caller.capabilities, revision, settings);
  return { label: part.label, settings, capabilities, revision };
}

/** Forwards progress (under the caller's own token) and log messages (at the level it wants) to the caller's open request. */
export function reportsTo(
  { request, link, revision, logLevel, session }: Omit<GatewayRequest, 'caller' | 'principal' | 'view'>,
  { clock, metrics }: Pick<BridgeContext, 'clock' | 'metrics'>,
): CallReports {
  const progressToken = metaOf(request.params)?.['progressToken'];
  // A session that never set a level requests none, and the upstream chooses what it logs.
  const wanted = revision.hasSessions ? session.logLevel : logLevel;
  if (logLevel === undefined && progressToken === undefined)
    return { logLevel: wanted, onLog: ignore, onProgress: undefined };
  const throttle = new Throttle(MAX_REPORTS_PER_SECOND, clock);
  const notify = (method: string, params: JsonObject): void => {
    if (throttle.allows()) link.notify(notification(method, params));
    else metrics?.count('dropped_total', { what: method });
  };
  return {
    logLevel: wanted,
    onLog: (log) => {
      if (logLevel !== undefined && atLeast(log.level, logLevel)) notify(MESSAGE, log);
    },
    onProgress:
      progressToken === undefined
        ? undefined
        : (progress) => notify(PROGRESS, pickKnown(revision.vocabulary, 'Progress', { progressToken, ...progress })),
  };
}

const ignore = (): void => undefined;

/** Returns a check for cancellation. Reading `link.signal` instead would create a signal for every call. */
export function watchCancelled(link: Link): () => boolean {
  let isCancelled = false;
  whenAborted(link, () => {
    isCancelled = true;
  });
  return () => isCancelled;
}

/** The call may or may not have taken effect. */
export const lostCallError = (label: string, why: string): RpcError =>
  new RpcError(INTERNAL_ERROR, `The outcome of the call to "${label}" is unknown: ${why}`, {
    outcome: 'unknown',
    label,
  });

/** A tool result of the gateway itself, which the model reads. */
export const failedCall = (text: string, meta?: JsonObject): JsonObject => ({
  content: [{ type: 'text', text }],
  isError: true,
  ...(meta === undefined ? {} : { _meta: meta }),
});

/** Reports a failure as a tool result that the model reads; other methods have no such result, so they get an error. */
export function failRouted({ method, revision }: RoutedRequest, text: string): CarriedResult {
  if (method !== 'tools/call') throw new RpcError(INTERNAL_ERROR, text);
  return { result: failedCall(text), from: revision };
}
