/** What the ways of carrying a call share. */
import { type JsonObject, notification } from '../../jsonrpc/message.ts';
import { atLeast } from '../../model/logging.ts';
import { MESSAGE, PROGRESS } from '../../model/names.ts';
import { metaOf } from '../../peer/call-link.ts';
import type { Clock } from '../../peer/clock.ts';
import { Throttle } from '../../peer/throttle.ts';
import { pickKnown } from '../../revisions/encode.ts';
import type {
  CallReports,
  CarrySettings,
  GatewayMetrics,
  GatewayRequest,
  PartReference,
  RoutedRequest,
  UpstreamLease,
  Upstreams,
} from '../contract.ts';
import type { CallStates } from './call-states.ts';
import type { QuestionRoute } from './carry-question.ts';
import { questionCapabilities } from './question-capabilities.ts';

export interface BridgeContext {
  readonly upstreams: Upstreams;
  readonly states: CallStates;
  readonly clock: Clock;
  readonly metrics?: GatewayMetrics | undefined;
}

/** Reports of one call; the rest is dropped. */
const MAX_REPORTS_PER_SECOND = 2_000;

type CarryDefaults = Required<{ [K in Exclude<keyof CarrySettings, 'questions'>]: number }>;
export const carryDefaults: CarryDefaults = {
  callMs: 60_000,
  maxCallMs: 30 * 60_000,
  questionMs: 5 * 60_000,
  maxWaitingCalls: 100,
};

export const partReference = ({ label, kind, key }: PartReference): PartReference => ({ label, kind, key });

/** A conversation with the upstream that declares what this caller declared, and no more. */
export function acquireFor(routed: RoutedRequest, { upstreams }: BridgeContext): Promise<UpstreamLease> {
  const { part, link, session, principal } = routed;
  const { capabilities } = questionRouteOf(routed, upstreams.carrySettings(part.label));
  return upstreams.acquire(part.label, { principal, session, capabilities, link }, link.signal);
}

export function questionRouteOf(
  { part, caller, revision }: Pick<RoutedRequest, 'part' | 'caller' | 'revision'>,
  { questions: settings = {} }: CarrySettings,
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
  const throttle = new Throttle(MAX_REPORTS_PER_SECOND, clock);
  const notify = (method: string, params: JsonObject): void => {
    if (throttle.allows()) link.notify(notification(method, params));
    else metrics?.count('dropped_total', { what: method });
  };
  return {
    // What a session has not set is not asked for: the upstream decides what it logs.
    logLevel: revision.hasSessions ? session.logLevel : logLevel,
    onLog: (log) => {
      if (logLevel !== undefined && atLeast(log.level, logLevel)) notify(MESSAGE, log);
    },
    ...(progressToken === undefined
      ? {}
      : {
          onProgress: (progress) =>
            notify(PROGRESS, pickKnown(revision.vocabulary, 'Progress', { progressToken, ...progress })),
        }),
  };
}

/** How a failure that is not the protocol's reads: tools have a result for it, which a model reads; nothing else has. */
export const toolFailure = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });

export const isToolCall = ({ method }: Pick<RoutedRequest, 'method'>): boolean => method === 'tools/call';
