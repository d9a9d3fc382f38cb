/** What the folders of the gateway agree on: who calls, what an exposed name stands for, and how a request reaches its upstream. */
import type { RawRequestOptions } from '../client/index.ts';
import type { DefinitionStatus } from '../host/index.ts';
import type { JsonObject, RpcRequest } from '../jsonrpc/message.ts';
import type { ClientAuth } from '../model/auth.ts';
import type { AuthInfo, Caller, ClientCapabilities } from '../model/caller.ts';
import type { LoggingLevel } from '../model/logging.ts';
import type { Link } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import type { Revision } from '../revisions/contract.ts';

/** One request of a caller, as a view received it. */
export interface GatewayRequest {
  readonly request: RpcRequest;
  readonly link: Link;
  /** The caller's. */
  readonly revision: Revision;
  readonly caller: Caller;
  /** Who was verified; empty without authorization. */
  readonly principal: string;
  readonly view: string;
  readonly session: PeerSession;
  readonly logLevel: LoggingLevel | undefined;
}

export type PartKind = 'tool' | 'prompt' | 'resource' | 'template';

/** Something that an upstream offers, under the name that callers see. */
export interface ExposedPart {
  readonly label: string;
  readonly kind: PartKind;
  /** The upstream's own name, URI or template. */
  readonly key: string;
  /** What callers see. */
  readonly name: string;
  /** As the upstream lists it, in the newest revision's words. */
  readonly definition: JsonObject;
  /** Compared with the lock, where there is one. */
  readonly status?: DefinitionStatus | undefined;
}

/** A request that knows where it goes, in the upstream's own names. */
export interface RoutedRequest extends GatewayRequest {
  readonly part: ExposedPart;
  readonly method: string;
  /** For the upstream: without keys of the protocol in `_meta`, without `inputResponses` and `requestState`. */
  readonly params: JsonObject;
  /** What a retry brings, where it is one. */
  readonly retry?: Retry | undefined;
  /** Hears what the caller said to a question while the request was open: the action, never the content. */
  readonly onAnswer?: ((said: string) => void) | undefined;
}

/** The second half of a request that was answered with questions. */
export interface Retry {
  readonly state: CallState;
  readonly inputResponses: JsonObject;
}

/** What the gateway seals into `requestState`. The stage says which question the answers are for; their keys never do. */
export type CallState =
  | { readonly stage: 'policy'; readonly part: PartReference }
  | {
      readonly stage: 'relay';
      readonly part: PartReference;
      readonly round: number;
      readonly theirs?: string;
      readonly approved?: true;
    }
  | { readonly stage: 'visit'; readonly part: PartReference; readonly ids: readonly string[]; readonly approved?: true }
  | {
      readonly stage: 'wait';
      readonly part: PartReference;
      readonly node: string;
      readonly call: string;
      readonly round: number;
    };

/** The state of a call that waits. */
export type WaitState = Extract<CallState, { readonly stage: 'wait' }>;

export interface PartReference {
  readonly label: string;
  readonly kind: PartKind;
  readonly key: string;
}

/** What came of a request: the upstream's result in the words of its revision, or a result of the gateway's own that asks for input. */
export type CarriedResult = { readonly result: JsonObject; readonly from: Revision } | { readonly asks: JsonObject };

/** The link of a request, or an `AbortController`. A link makes its signal on first read, which is costly: only what waits reads it. */
export type SignalSource = Pick<Link, 'signal'>;

export interface UpstreamRequestOptions
  extends CallReports,
    Pick<RawRequestOptions, 'capabilities' | 'ask' | 'signal'> {
  /** The request of the caller that this one is for: it is cancelled with that one. */
  readonly link?: Link | undefined;
}

/** One conversation of the gateway with one upstream. Failures other than an error of the upstream are an `UpstreamError`. */
export interface UpstreamClient {
  readonly label: string;
  readonly revision: Revision;
  request(method: string, params: JsonObject, options: UpstreamRequestOptions): Promise<JsonObject>;
}

/** A client that was given out for one request. */
export interface UpstreamLease {
  readonly client: UpstreamClient;
  /** `isClean: false` where a question of this request can still be on its way. */
  release(isClean?: boolean): void;
}

/** Whom a conversation with an upstream is for, and what can be asked on it. */
export interface UpstreamAudience {
  readonly principal: string;
  readonly session?: PeerSession | undefined;
  readonly capabilities: ClientCapabilities;
  /** The caller's verified identity, for credentials that are made of it. Never sent to an upstream. */
  readonly auth: AuthInfo | undefined;
}

/** What an upstream can ask of callers, in so far as they declared it. */
export interface UpstreamQuestions {
  /** Forms. On. */
  readonly form?: boolean | undefined;
  /** Pages to visit: https only, on these hosts (`*.example.com` for those below). Without it, an upstream cannot send users to pages. */
  readonly visit?: { readonly hosts: readonly string[] } | undefined;
  /** Messages of the caller's model. On. */
  readonly sample?: boolean | undefined;
  /** Folders that the user opened. On. */
  readonly roots?: boolean | undefined;
  /** Questions begin with the label of the upstream, because the caller's client shows the name of the gateway. On. */
  readonly prefix?: boolean | undefined;
}

/** What an upstream reports while it works on a call. */
export type CallReports = Pick<RawRequestOptions, 'onProgress' | 'onLog' | 'logLevel'>;

/** One request of the caller that waits for a round of a call. */
export interface AttachedRequest extends CallReports {
  /** What this request can be asked, less what the gateway does not carry. */
  readonly capabilities: ClientCapabilities;
  readonly revision: Revision;
  /** Calls back when the request is gone: the caller hung up, or the way to the caller was lost. */
  whenGone(listener: (hungUp: boolean) => void): void;
}

/** A request that brings answers for a call that waits. */
export interface ResumingRequest extends AttachedRequest {
  /** What its state is bound to. */
  readonly bound: string;
}

/**
 * What policy says about a request. A denial is thrown: an `RpcError`, or a `ToolError` that becomes a result with `isError`. `end`
 * must be called once, when the request has been answered, with what came of it in a word or two, what the caller said to questions
 * meanwhile, and without any content.
 */
export type PolicyAdmission =
  | { readonly approved: boolean; readonly end: (outcome: string, answers?: readonly string[]) => void }
  | { readonly asks: JsonObject };

/** One function decides for lists and for calls: what is not listed cannot be called with any arguments. */
export interface GatewayPolicy {
  /** Whether lists of this caller show it. Knows no arguments and no history. */
  lists(part: ExposedPart, caller: ListingCaller): boolean;
  /** Whether any rule looks at who calls, so that lists are private. */
  readonly dependsOnCaller: boolean;
  /** Decides about a request before anything reaches the upstream, and asks the caller where a rule says so. */
  admit(routed: RoutedRequest): Promise<PolicyAdmission>;
  /** Whether a completion can suggest this value to the caller: not where it leads to what lists do not show. */
  suggests(routed: RoutedRequest, value: string): boolean;
  /** Counts a request for a list, or for a part that is not there. Throws where the caller sends too many. */
  count(what: 'calls' | 'lists', request: GatewayRequest): Promise<void>;
}

/** What decides which parts a caller sees. */
export interface ListingCaller extends Pick<GatewayRequest, 'view'> {
  readonly link: Pick<Link, 'auth'>;
}

/** Counts how often something happens: in this process, or for all of them. Rejects when the store cannot be reached. */
export interface RateStore {
  /** Where there is no room, nothing is counted, and there is room again after `retryMs`. */
  take(
    key: string,
    rate: { readonly limit: number; readonly perMs: number },
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly retryMs: number }>;
}

/** What goes to an upstream in place of a caller's credentials, which never do. */
export interface UpstreamCredentials {
  /** Callers with one key have the same credentials and can share a conversation; with two keys they never do. */
  keyFor(auth: AuthInfo | undefined): string;
  /** For one conversation; undefined sends none. */
  authFor(auth: AuthInfo | undefined): ClientAuth | undefined;
}

/** Counts that the store which nodes share failed at something, and says why. */
export type NoteStoreFailure = (use: string, error: unknown) => void;

/** What is counted, by the name it has at `/metrics` behind `mooring_gateway_`, and the labels of each. */
export interface GatewayCounters {
  readonly calls_total: { readonly upstream: string; readonly outcome: string };
  readonly waiting_calls_total: { readonly end: string };
  readonly questions_total: { readonly kind: string; readonly pair: string; readonly answer: string };
  readonly conversations_opened_total: { readonly upstream: string; readonly isolate: string };
  /** `rule` is the place of the rule, such as `policy.0`: its text names callers and what is kept from them. */
  readonly policy_total: { readonly verdict: string; readonly rule: string };
  readonly rate_limited_total: { readonly what: string };
  readonly forwarded_total: { readonly kind: string; readonly end: string };
  readonly store_failures_total: { readonly use: string };
  readonly upstream_violations_total: { readonly upstream: string; readonly what: string };
  readonly dropped_total: { readonly what: string };
  readonly reload_total: { readonly end: string };
}

/** Where the folders of the gateway count what happened. Values of labels are bounded where they are kept. */
export interface GatewayMetrics {
  count<N extends keyof GatewayCounters>(name: N, labels: GatewayCounters[N], by?: number): void;
  /** Seconds that something took: calls, waiting for a turn. */
  observe(name: 'call_seconds' | 'queue_wait_seconds', seconds: number, upstream: string): void;
}
