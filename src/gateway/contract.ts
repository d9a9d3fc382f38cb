/** Types that the folders of the gateway share: requests, parts, upstream conversations, policy and metrics. */
import type { RawRequestOptions } from '../client/index.ts';
import type { DefinitionStatus } from '../host/index.ts';
import type { JsonObject, RpcRequest } from '../jsonrpc/message.ts';
import type { ClientAuth } from '../model/auth.ts';
import type { AuthInfo, Caller, ClientCapabilities } from '../model/caller.ts';
import type { LoggingLevel } from '../model/logging.ts';
import type { Link, ServerPush } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import type { Revision } from '../revisions/contract.ts';

/** A caller's request, as a view received it. */
export interface GatewayRequest {
  readonly request: RpcRequest;
  readonly link: Link;
  readonly revision: Revision;
  readonly caller: Caller;
  /** The verified caller; empty without authorization. */
  readonly principal: string;
  readonly view: string;
  readonly session: PeerSession;
  /** For messages to the caller after its request has been answered. */
  readonly push: Pick<ServerPush, 'notify'>;
  readonly logLevel: LoggingLevel | undefined;
}

/** The members of a request that say which conversation with an upstream, and which of its lists, are for its caller. */
export interface AudienceRequest extends Pick<GatewayRequest, 'principal' | 'session' | 'caller' | 'revision'> {
  readonly link: Pick<Link, 'auth'>;
}

export type PartKind = 'tool' | 'prompt' | 'resource' | 'template';

/** A tool, prompt, resource or template of an upstream, under the name that callers see. */
export interface ExposedPart {
  readonly label: string;
  readonly kind: PartKind;
  /** The upstream's own name, URI or template. */
  readonly key: string;
  /** What callers see. */
  readonly name: string;
  /** The upstream's definition, in the newest revision's form. */
  readonly definition: JsonObject;
  /** The result of comparing the definition with the lock, if there is one. */
  readonly status?: DefinitionStatus | undefined;
}

/** A request after routing, with the upstream's own names. */
export interface RoutedRequest extends GatewayRequest {
  readonly part: ExposedPart;
  readonly method: string;
  /** What the upstream receives: without protocol keys in `_meta`, `inputResponses` and `requestState`. */
  readonly params: JsonObject;
  /** Set for a retry. */
  readonly retry?: Retry | undefined;
  /** Called with the action of each answer that the caller gives while the request is open, never with the content. */
  readonly onAnswer?: ((said: string) => void) | undefined;
}

/** The state and the answers of a request that was answered with questions before. */
export interface Retry {
  readonly state: CallState;
  readonly inputResponses: JsonObject;
}

/** The content of `requestState`. The stage says which questions the answers belong to; their keys are not trusted for that. */
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

export type WaitState = Extract<CallState, { readonly stage: 'wait' }>;

export interface PartReference {
  readonly label: string;
  readonly kind: PartKind;
  readonly key: string;
}

/** The upstream's result, encoded in the revision `from`, or a result of the gateway that asks for input. */
export type CarriedResult = { readonly result: JsonObject; readonly from: Revision } | { readonly asks: JsonObject };

/** A link or an `AbortController`. A link creates its signal on first read, which is costly, so only code that waits reads it. */
export type SignalSource = Pick<Link, 'signal'>;

export interface UpstreamRequestOptions
  extends CallReports,
    Pick<RawRequestOptions, 'capabilities' | 'ask' | 'signal'> {
  /** The caller's request. Cancelling it cancels this one. */
  readonly link?: Link | undefined;
}

/** One conversation with an upstream. Rejects with an `RpcError` of the upstream, or with an `UpstreamError`. */
export interface UpstreamClient {
  readonly label: string;
  readonly revision: Revision;
  request(method: string, params: JsonObject, options: UpstreamRequestOptions): Promise<JsonObject>;
}

/** A conversation that is reserved for one request. */
export interface UpstreamLease {
  readonly client: UpstreamClient;
  /** Pass `false` after a cancellation: a question of this request can still arrive. */
  release(isClean?: boolean): void;
}

/** The caller that an upstream conversation belongs to, and what it can be asked. */
export interface UpstreamAudience {
  readonly principal: string;
  readonly session?: PeerSession | undefined;
  readonly capabilities: ClientCapabilities;
  /** The caller's verified identity, from which credentials are derived. Never sent to an upstream. */
  readonly auth: AuthInfo | undefined;
}

/** What an upstream can ask callers who declared it. */
export interface UpstreamQuestions {
  /** Forms. Default: true. */
  readonly form?: boolean | undefined;
  /**
   * Pages to visit, with https only, on these hosts (`*.example.com` includes subdomains). Without it, an upstream cannot send users
   * to pages.
   */
  readonly visit?: { readonly hosts: readonly string[] } | undefined;
  /** Messages of the caller's model. Default: true. */
  readonly sample?: boolean | undefined;
  /** Folders that the user opened. Default: true. */
  readonly roots?: boolean | undefined;
  /** Starts each question with the label of the upstream, because the client shows the gateway's name. Default: true. */
  readonly prefix?: boolean | undefined;
}

/** Progress and log messages of a call. */
export type CallReports = Pick<RawRequestOptions, 'onProgress' | 'onLog' | 'logLevel'>;

/** A caller's open request that waits for the next questions or the outcome. */
export interface AttachedRequest extends CallReports {
  /** What the caller declared, without what the gateway does not pass on. */
  readonly capabilities: ClientCapabilities;
  readonly revision: Revision;
  /** Called when the request ends early: with true if the caller cancelled, with false if the connection to it was lost. */
  whenGone(listener: (hungUp: boolean) => void): void;
}

/** A retry with answers for a waiting call. */
export interface ResumingRequest extends AttachedRequest {
  /** `stateBinding` of the retry. */
  readonly bound: string;
}

/**
 * The decision about a request. A denial is thrown: an `RpcError`, or a `ToolError` that becomes a result with `isError`. Call `end`
 * exactly once when the request has been answered, with a one-word outcome and the actions of the caller's answers; never with
 * content.
 */
export type PolicyAdmission =
  | { readonly approved: boolean; readonly end: (outcome: string, answers?: readonly string[]) => void }
  | { readonly asks: JsonObject };

/** Decides both lists and calls with the same rules: what is not listed cannot be called with any arguments. */
export interface GatewayPolicy {
  /** Whether this caller sees the part in lists. Independent of arguments and history. */
  lists(part: ExposedPart, caller: ListingCaller): boolean;
  /** Whether any rule depends on the caller, which makes lists private. */
  readonly dependsOnCaller: boolean;
  /** Decides before anything reaches the upstream, and asks the user if a rule says so. */
  admit(routed: RoutedRequest): Promise<PolicyAdmission>;
  /** Whether a completion can suggest this value: not if it leads to a part that the caller cannot see. */
  suggests(routed: RoutedRequest, value: string): boolean;
  /** Counts a request for a list, or for an unknown part, and throws if the caller exceeds its rate. */
  count(what: 'calls' | 'lists', request: GatewayRequest): Promise<void>;
}

/** The inputs that decide which parts a caller sees. */
export interface ListingCaller extends Pick<GatewayRequest, 'view'> {
  readonly link: Pick<Link, 'auth'>;
}

/** Counts events in a window, in this process or in a shared store. Rejects if the store is unreachable. */
export interface RateStore {
  /** If the limit is reached, counts nothing, and `retryMs` says when to try again. */
  take(
    key: string,
    rate: { readonly limit: number; readonly perMs: number },
  ): Promise<{ readonly ok: true } | { readonly ok: false; readonly retryMs: number }>;
}

/** Credentials for an upstream. A caller's own token is never forwarded. */
export interface UpstreamCredentials {
  /** Callers with the same key share credentials, and can share a conversation; callers with different keys never do. */
  keyFor(auth: AuthInfo | undefined): string;
  /** The credentials of one conversation; undefined for none. */
  authFor(auth: AuthInfo | undefined): ClientAuth | undefined;
}

/** Counts and logs a failure of the shared store. */
export type NoteStoreFailure = (use: string, error: unknown) => void;

/** The counters at `/metrics`, where each name is prefixed with `mooring_gateway_`, and their labels. */
export interface GatewayCounters {
  readonly calls_total: { readonly upstream: string; readonly outcome: string };
  readonly waiting_calls_total: { readonly end: string };
  readonly questions_total: { readonly kind: string; readonly pair: string; readonly answer: string };
  readonly conversations_opened_total: { readonly upstream: string; readonly isolate: string };
  /** `rule` is the position of the rule, such as `policy.0`: its text can name callers and what is hidden from them. */
  readonly policy_total: { readonly verdict: string; readonly rule: string };
  readonly rate_limited_total: { readonly what: string };
  readonly forwarded_total: { readonly kind: string; readonly end: string };
  readonly store_failures_total: { readonly use: string };
  readonly upstream_violations_total: { readonly upstream: string; readonly what: string };
  readonly dropped_total: { readonly what: string };
  readonly reload_total: { readonly end: string };
}

/** Collects the gateway's metrics. The implementation bounds the number of label values. */
export interface GatewayMetrics {
  count<N extends keyof GatewayCounters>(name: N, labels: GatewayCounters[N], by?: number): void;
  /** Records a duration in a histogram. */
  observe(name: 'call_seconds' | 'queue_wait_seconds', seconds: number, upstream: string): void;
}
