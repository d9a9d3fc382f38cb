/** What the page of the workbench is shown: servers, definitions, acts, questions, messages. Types and names only. */
import type { JsonObject } from '../jsonrpc/message.ts';

export const workbenchScreens = [
  'servers',
  'tools',
  'resources',
  'prompts',
  'tasks',
  'apps',
  'skills',
  'sign-in',
  'policy',
  'catalogue',
  'chat',
  'compare',
  'travel',
  'timeline',
] as const;
export type ScreenName = (typeof workbenchScreens)[number];

export type OfferKind = 'tool' | 'resource' | 'template' | 'prompt';
export type ActVerdict = 'allow' | 'ask' | 'deny';
export type PinStatus = 'approved' | 'new' | 'changed' | 'suspicious';

// Servers

/** `asking`: the user is asked whether it can be opened. `crashed`: it ended on its own. */
export type ServerStage = 'idle' | 'asking' | 'connecting' | 'ready' | 'restarting' | 'failed' | 'crashed' | 'stopped';

export interface ServerInfo {
  readonly label: string;
  readonly stage: ServerStage;
  readonly kind: 'command' | 'url' | 'process' | 'recording';
  /** The command line or URL, without secrets. */
  readonly address: string;
  /** The file that it is configured in. */
  readonly origin?: { readonly file: string; readonly line: number; readonly name: string } | undefined;
  /** The revision that the user chose; undefined to negotiate. */
  readonly chosen?: string | undefined;
  /** The revision that is spoken. */
  readonly revision?: string | undefined;
  /** Of the last request that was answered, without the time in which the user was asked. */
  readonly latencyMs?: number | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly instructions?: string | undefined;
  readonly capabilities?: JsonObject | undefined;
  /** Why it failed or crashed, in one sentence, and what to do about it. */
  readonly failure?: FailureText | undefined;
  readonly needsSignIn: boolean;
}
export interface FailureText {
  readonly sentence: string;
  readonly remedy?: string | undefined;
  /** The doctor's name of the fault, such as `connection-refused`. */
  readonly fault?: string | undefined;
  /** The last lines of its log. */
  readonly log?: readonly string[] | undefined;
}
export interface DoctorRow {
  readonly check: string;
  readonly state: 'passed' | 'failed' | 'warning' | 'skipped';
  readonly found: string;
  readonly fix?: string | undefined;
  readonly fault?: string | undefined;
}
/** What the user types in. A command is asked about in the terminal. */
export type TypedServer =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

// Catalogue

export interface OfferRow {
  readonly kind: OfferKind;
  readonly server: string;
  /** `shop.refund`, in the host's catalogue. */
  readonly name: string;
  /** What the server calls it: a name, a URI, a template. */
  readonly key: string;
  readonly title: string;
  readonly description: string;
  /** As the server gave it. */
  readonly definition: JsonObject;
  /** For a tool: its input schema without what cannot be seen. */
  readonly inputSchema?: JsonObject | undefined;
  readonly hash?: string | undefined;
  readonly status?: PinStatus | undefined;
  readonly warnings: readonly string[];
  /** Of its definition in the context of a model. */
  readonly tokens?: number | undefined;
  /** What the server says that it does. */
  readonly effects?: 'read' | 'write' | 'destructive' | 'unknown' | undefined;
  /** Findings of lint about it. */
  readonly findings: number;
  /** The URI of its view, for a tool that has one. */
  readonly view?: string | undefined;
  readonly task?: 'required' | 'optional' | undefined;
  /** A checked icon as a `data:` URL. */
  readonly icon?: string | undefined;
}
export interface TokenRow {
  readonly server: string;
  /** In the catalogue. */
  readonly name: string;
  readonly tokens: number;
  readonly parts: { readonly name: number; readonly description: number; readonly schema: number };
  readonly fields: readonly { readonly name: string; readonly tokens: number }[];
}
export interface LintRow {
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly server: string;
  /** `tool refund`. */
  readonly item: string;
  /** Its name in the catalogue, where it is a tool. */
  readonly name?: string | undefined;
  readonly found: string;
  readonly fix: string;
}

// Acts

/** Why something failed, in words; `remedy` where there is one. */
export interface ActFailure {
  readonly message: string;
  /** A code of `errors.md`, such as `MCP_DENIED`. */
  readonly code?: string | undefined;
  readonly remedy?: string | undefined;
  /** The error of the server. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  /** After a timeout: what was outstanding, which streams were open, and when something last came. */
  readonly outstanding?: readonly string[] | undefined;
  /** The connection was lost while it ran. */
  readonly unknownOutcome?: true | undefined;
}
export interface DecisionRow {
  /** The id of the act. */
  readonly act: string;
  readonly at: number;
  readonly server: string;
  readonly kind: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly verdict: ActVerdict;
  readonly allowed: boolean;
  /** In words; `ruleIndex` is its place in `policy.rules`, where it is one of them. */
  readonly rule: string;
  readonly ruleIndex?: number | undefined;
  readonly why: string;
  readonly consent?: { readonly allow: boolean; readonly edited: boolean; readonly reason?: string } | undefined;
  /** The remembered approval that was used. */
  readonly approval?: string | undefined;
  readonly phase: 'decided' | 'working' | 'done' | 'failed';
  readonly outcome?: string | undefined;
}
/** What came of an act. Without `result` there is an `error`. */
export interface Outcome<R> {
  /** The id that the page gave it, or was given. */
  readonly ref: string;
  /** Of the first message that it sent; undefined where nothing was sent. */
  readonly span?: number | undefined;
  readonly act?: string | undefined;
  readonly ms: number;
  /** Of these, how long the user was asked. */
  readonly waitedMs: number;
  readonly result?: R | undefined;
  readonly error?: ActFailure | undefined;
  readonly decision?: DecisionRow | undefined;
}
export interface CallValue {
  /** `content`, `structuredContent`, `isError`, `_meta`, as they came. */
  readonly result: JsonObject;
  readonly isError: boolean;
  readonly tokens: number;
  readonly output: { readonly state: 'none' | 'valid' | 'invalid'; readonly faults: readonly OutputFault[] };
  /** Where it became a task: its ticket. The result is yet to come. */
  readonly ticket?: string | undefined;
}
export interface OutputFault {
  /** `/order/amount`. */
  readonly path: string;
  readonly message: string;
}
export interface ActParams {
  readonly server: string;
  /** An id that the page chooses, for `cancel`, `progress` and the span. */
  readonly ref?: string;
  readonly deadlineMs?: number;
}
export interface CallParams extends ActParams {
  /** What the server calls it. */
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly task?: boolean;
  readonly meta?: JsonObject;
}
export interface WatchedResource {
  readonly server: string;
  readonly uri: string;
}
export interface ChangeRow extends WatchedResource {
  readonly at: number;
  /** The text before and after, or the number of bytes. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Why it is no longer watched. */
  readonly error?: string | undefined;
}

// Tasks, apps, skills, sign-in

export interface TaskInfo {
  /** The id of its ticket. */
  readonly ticket: string;
  readonly server: string;
  readonly tool: string;
  readonly taskId: string;
  readonly status: string;
  readonly message?: string | undefined;
  readonly progress?: { readonly progress: number; readonly total?: number | undefined } | undefined;
  readonly createdAt: number;
  /** Until when the server keeps it; undefined if it does not say. */
  readonly until?: number | undefined;
  readonly attached: boolean;
  readonly states: readonly { readonly at: number; readonly status: string; readonly message?: string | undefined }[];
  readonly outcome?: Outcome<CallValue> | undefined;
}
export const viewSteps = [
  'read',
  'type',
  'policy',
  'proxy',
  'frame',
  'ui/initialize',
  'initialized',
  'input',
  'result',
] as const;
export type ViewStep = (typeof viewSteps)[number];
export interface ViewStepRow {
  readonly step: ViewStep;
  readonly state: 'waiting' | 'passed' | 'failed';
  readonly ms?: number | undefined;
  readonly detail?: string | undefined;
}
export interface ViewRow {
  readonly view: string;
  readonly server: string;
  readonly tool: string;
  readonly uri: string;
  readonly steps: readonly ViewStepRow[];
  /** What `mountView` of `mooring/frame` takes; undefined where a step before failed. */
  readonly frame?: { readonly proxyUrl: string; readonly plainUrl: string; readonly allow: string } | undefined;
  /** The policy as it is sent, the permissions that were granted, and the places that were dropped. */
  readonly policy?: string | undefined;
  readonly granted: readonly string[];
  readonly dropped: readonly string[];
  readonly ended?: string | undefined;
}
export interface SkillRow {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly status: PinStatus;
  readonly warnings: readonly string[];
  readonly files: number | 'dynamic';
  readonly bytes?: number | undefined;
  readonly inUse: boolean;
}
export interface SkillFileRow {
  readonly path: string;
  readonly bytes?: number | undefined;
  readonly digest?: string | undefined;
  readonly verdict: 'verified' | 'changed' | 'missing' | 'unverifiable';
  readonly detail?: string | undefined;
}
export interface SignInStepRow {
  readonly at: number;
  readonly step: string;
  readonly of?: string | undefined;
  readonly outcome: 'asked' | 'accepted' | 'failed' | 'chosen';
  readonly why: string;
}
export interface SignInState {
  readonly server: string;
  readonly supported: boolean;
  readonly signedIn: boolean;
  readonly issuer?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: number | undefined;
  readonly steps: readonly SignInStepRow[];
}
