/** Protocol types for what the page displays: servers, offers, actions, tasks, views, skills, sign-in. Types and names only. */
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

/** File name extensions of recordings. */
export const recordingExtensions = ['.ndjson', '.jsonl'] as const;

// Servers

/** `asking`: waits for the user's permission to open it. `crashed`: it failed after it had been ready. */
export type ServerStage = 'idle' | 'asking' | 'connecting' | 'ready' | 'restarting' | 'failed' | 'crashed' | 'stopped';

export interface ServerInfo {
  readonly label: string;
  readonly stage: ServerStage;
  readonly kind: 'command' | 'url' | 'process';
  /** The command line or URL, without secrets. */
  readonly address: string;
  /** Where the server is configured. */
  readonly origin?: { readonly file: string; readonly line: number; readonly name: string } | undefined;
  /** How the server was added to the running session: typed into a page, or as the replay of a recording. */
  readonly added?: 'page' | 'recording' | undefined;
  /** The revision that the user chose; undefined to negotiate. */
  readonly chosen?: string | undefined;
  /** The negotiated revision. */
  readonly revision?: string | undefined;
  /** Latency of the last answered request, minus the time that the user took to answer questions. */
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
  /** The fault id of `mooring doctor`, such as `connection-refused`. */
  readonly fault?: string | undefined;
  /** The last lines of the server's log. */
  readonly log?: readonly string[] | undefined;
}
export interface DoctorRow {
  readonly check: string;
  readonly state: 'passed' | 'failed' | 'warning' | 'skipped';
  readonly found: string;
  readonly fix?: string | undefined;
  readonly fault?: string | undefined;
}
/** A server that the user typed into the page. A command must be confirmed in the terminal. */
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
  /** The name in the host's catalogue, such as `shop.refund`. */
  readonly name: string;
  /** The server's own identifier: a name, a URI or a URI template. */
  readonly key: string;
  readonly title: string;
  readonly description: string;
  /** As the server sent it. */
  readonly definition: JsonObject;
  /** For a tool: its input schema, without invisible characters. */
  readonly inputSchema?: JsonObject | undefined;
  readonly hash?: string | undefined;
  readonly status?: PinStatus | undefined;
  readonly warnings: readonly string[];
  /** Estimated tokens of the definition in a model's context. */
  readonly tokens?: number | undefined;
  /** The effects that the server declares. */
  readonly effects?: 'read' | 'write' | 'destructive' | 'unknown' | undefined;
  /** The number of lint findings. */
  readonly findings: number;
  /** The URI of its view, for a tool that has one. */
  readonly view?: string | undefined;
  readonly task?: 'required' | 'optional' | undefined;
  /** A validated icon as a `data:` URL. */
  readonly icon?: string | undefined;
}
export interface TokenRow {
  readonly server: string;
  /** The name in the host's catalogue. */
  readonly name: string;
  readonly tokens: number;
  readonly parts: { readonly name: number; readonly description: number; readonly schema: number };
  readonly fields: readonly { readonly name: string; readonly tokens: number }[];
}
export interface LintRow {
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly server: string;
  /** Kind and name, such as `tool refund`. */
  readonly item: string;
  /** For a tool: the name in the host's catalogue. */
  readonly name?: string | undefined;
  readonly found: string;
  readonly fix: string;
}

// Acts

/** Why an action failed, and a remedy if one is known. */
export interface ActFailure {
  readonly message: string;
  /** A code of `errors.md`, such as `MCP_DENIED`. */
  readonly code?: string | undefined;
  readonly remedy?: string | undefined;
  /** The JSON-RPC error that the server returned. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  /** After a timeout: the open requests and streams, and the time since the server's last message. */
  readonly outstanding?: readonly string[] | undefined;
  /** The connection was lost during the action. */
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
  /** The rule as text; `ruleIndex` is its index in `policy.rules`, if it is one of them. */
  readonly rule: string;
  readonly ruleIndex?: number | undefined;
  readonly why: string;
  readonly consent?: { readonly allow: boolean; readonly edited: boolean; readonly reason?: string } | undefined;
  /** The remembered approval that was used. */
  readonly approval?: string | undefined;
  readonly phase: 'decided' | 'working' | 'done' | 'failed';
  readonly outcome?: string | undefined;
}
/** How an action ended: with a `result` or an `error`. */
export interface Outcome<R> {
  /** The id of the action: chosen by the page, or else generated. */
  readonly ref: string;
  /** The span of the first request that the action sent; undefined if it sent none. */
  readonly span?: number | undefined;
  readonly act?: string | undefined;
  readonly ms: number;
  /** The part of `ms` in which the user was being asked. */
  readonly waitedMs: number;
  readonly result?: R | undefined;
  readonly error?: ActFailure | undefined;
  readonly decision?: DecisionRow | undefined;
}
export interface CallValue {
  /** `content`, `structuredContent`, `isError`, `_meta`, as the server sent them. */
  readonly result: JsonObject;
  readonly isError: boolean;
  readonly tokens: number;
  readonly output: { readonly state: 'none' | 'valid' | 'invalid'; readonly faults: readonly OutputFault[] };
  /** The ticket, if the call became a task; its result follows later. */
  readonly ticket?: string | undefined;
}
export interface OutputFault {
  /** A JSON Pointer, such as `/order/amount`. */
  readonly path: string;
  readonly message: string;
}
export interface ActParams {
  readonly server: string;
  /** An id that the page chooses, used by `cancel`, `progress` and spans. */
  readonly ref?: string;
  readonly deadlineMs?: number;
}
export interface CallParams extends ActParams {
  /** The server's own name of the tool. */
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
  /** The text before and after; for binary contents, their size. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Why watching ended. */
  readonly error?: string | undefined;
}

// Tasks, apps, skills, sign-in

export interface TaskInfo {
  /** The id of the task's ticket. */
  readonly ticket: string;
  readonly server: string;
  readonly tool: string;
  readonly taskId: string;
  readonly status: string;
  readonly message?: string | undefined;
  readonly progress?: { readonly progress: number; readonly total?: number | undefined } | undefined;
  readonly createdAt: number;
  /** When the server may discard the task; undefined if it has no TTL. */
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
  /** The argument of `mountView` in `mooring/frame`; undefined if an earlier step failed. */
  readonly frame?: { readonly proxyUrl: string; readonly plainUrl: string; readonly allow: string } | undefined;
  /** The Content-Security-Policy as it is sent. `granted` are permissions, `dropped` the places of invalid settings. */
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
  readonly verdict: 'verified' | 'changed' | 'unverifiable';
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
