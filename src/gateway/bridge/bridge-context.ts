/** What the ways of carrying a call share. */
import type { RawRequestOptions } from '../../client/index.ts';
import { type JsonObject, notification } from '../../jsonrpc/message.ts';
import { PROGRESS } from '../../model/names.ts';
import { metaOf } from '../../peer/call-link.ts';
import type { Clock } from '../../peer/clock.ts';
import { Throttle } from '../../peer/throttle.ts';
import { pickKnown } from '../../revisions/encode.ts';
import type {
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
  settingsOf(label: string): CarrySettings;
}

/** Reports of progress of one call; the rest is dropped. */
const MAX_PROGRESS_PER_SECOND = 2_000;

type CarryDefaults = Required<{ [K in Exclude<keyof CarrySettings, 'questions'>]: number }>;
export const carryDefaults: CarryDefaults = {
  callMs: 60_000,
  maxCallMs: 30 * 60_000,
  questionMs: 5 * 60_000,
  maxWaitingCalls: 100,
};

export const partReference = ({ label, kind, key }: PartReference): PartReference => ({ label, kind, key });

/** A conversation with the upstream that declares what this caller declared, and no more. */
export function acquireFor(routed: RoutedRequest, { upstreams, settingsOf }: BridgeContext): Promise<UpstreamLease> {
  const { part, link, session, principal } = routed;
  const { capabilities } = questionRouteOf(routed, settingsOf(part.label));
  return upstreams.acquire(part.label, { principal, session, capabilities, link }, link.signal);
}

export function questionRouteOf(
  { part, caller, revision }: Pick<RoutedRequest, 'part' | 'caller' | 'revision'>,
  { questions: settings = {} }: CarrySettings,
): QuestionRoute {
  const capabilities = questionCapabilities(caller.capabilities, revision, settings);
  return { label: part.label, settings, capabilities, revision };
}

/** Reports go to the caller's request with its own token; without a token nothing is asked for. */
export function progressTo(
  { request, link, revision }: Pick<GatewayRequest, 'request' | 'link' | 'revision'>,
  { clock, metrics }: Pick<BridgeContext, 'clock' | 'metrics'>,
): Pick<RawRequestOptions, 'onProgress'> {
  const progressToken = metaOf(request.params)?.['progressToken'];
  if (progressToken === undefined) return {};
  const throttle = new Throttle(MAX_PROGRESS_PER_SECOND, clock);
  return {
    onProgress: (progress) => {
      if (!throttle.allows()) metrics?.count('dropped_total', { what: 'progress' });
      else
        link.notify(notification(PROGRESS, pickKnown(revision.vocabulary, 'Progress', { progressToken, ...progress })));
    },
  };
}

/** How a failure that is not the protocol's reads: tools have a result for it, which a model reads; nothing else has. */
export const toolFailure = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });

export const isToolCall = ({ method }: Pick<RoutedRequest, 'method'>): boolean => method === 'tools/call';
