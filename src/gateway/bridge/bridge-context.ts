/** What the ways of carrying a call share. */
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

/** The same for one call, on the conversation that it goes to. */
export interface CarryContext extends BridgeContext, UpstreamLease {
  /** Where questions of the upstream go. */
  readonly route: QuestionRoute;
  readonly settings: Pick<UpstreamSettings, 'timeouts' | 'limits'>;
  readonly visits: Visits;
  /** By the caller's user, where a rule asked. */
  readonly approved: boolean;
}

/** Reports of one call; the rest is dropped. */
const MAX_REPORTS_PER_SECOND = 2_000;

export const partReference = ({ label, kind, key }: PartReference): PartReference => ({ label, kind, key });

export function questionRouteOf(
  { part, caller, revision }: Pick<RoutedRequest, 'part' | 'caller' | 'revision'>,
  settings: UpstreamQuestions,
): QuestionRoute {
  const capabilities = questionCapabilities(caller.capabilities, revision, settings);
  return { label: part.label, settings, capabilities, revision };
}

/** Reports go to the caller's request: progress with its own token, if it has one, and the log messages that it wants. */
export function reportsTo(
  { request, link, revision, logLevel, session }: Omit<GatewayRequest, 'caller' | 'principal' | 'view'>,
  { clock, metrics }: Pick<BridgeContext, 'clock' | 'metrics'>,
): CallReports {
  const progressToken = metaOf(request.params)?.['progressToken'];
  // What a session has not set is not asked for: the upstream decides what it logs.
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

/** Says whether the caller has cancelled its request; no signal is made for that. */
export function watchCancelled(link: Link): () => boolean {
  let isCancelled = false;
  whenAborted(link, () => {
    isCancelled = true;
  });
  return () => isCancelled;
}

/** It is not known what became of a call. */
export const lostCallError = (label: string, why: string): RpcError =>
  new RpcError(INTERNAL_ERROR, `The outcome of the call to "${label}" is unknown: ${why}`, {
    outcome: 'unknown',
    label,
  });

/** A result of the gateway's own, for a model to read. */
export const failedCall = (text: string, meta?: JsonObject): JsonObject => ({
  content: [{ type: 'text', text }],
  isError: true,
  ...(meta === undefined ? {} : { _meta: meta }),
});

/** How a failure that is not the protocol's is answered: tools have a result for it, which a model reads; nothing else has. */
export function failRouted({ method, revision }: RoutedRequest, text: string): CarriedResult {
  if (method !== 'tools/call') throw new RpcError(INTERNAL_ERROR, text);
  return { result: failedCall(text), from: revision };
}
