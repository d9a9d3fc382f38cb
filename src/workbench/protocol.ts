/**
 * The HTTP and JSON-RPC protocol between the workbench process and its page. Types and plain functions only: both import it.
 *
 * - `POST /start` `{ token }` exchanges the start token of the URL fragment for a session `{ token }`, once, within two minutes.
 * - `POST /rpc`, `Authorization: Bearer <token>`: one JSON-RPC request of `Verbs`, one response. A result over 1 MiB is replaced by
 *   `{ blob, bytes }` (`isBlob`), to be fetched from `/blob/<id>` as JSON. A request that takes over a second is answered with
 *   `{ pending }` (`isPending`), and its result or error follows as the event `answered`: browsers limit concurrent connections.
 * - `GET /events?since=<id>`, same header: server-sent events with increasing ids, each a JSON-RPC notification of `WorkbenchEvents`.
 *   If `since` is too old or from another process, the first event is `reload`: call `hello` again.
 * - `GET /blob/<id>`, same header, works once.
 *
 * An action that fails is still a result (`Outcome`). JSON-RPC errors mean invalid params or an unknown verb.
 * Times are milliseconds since 1970, durations are milliseconds. Texts of servers are untrusted: never render them as markup.
 */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ApprovalRow, DraftRule, LockRow, RehearsalRow, RuleRow } from './protocol-policy.ts';
import type { AnswerValue, ConsentValue, OpenQuestion } from './protocol-questions.ts';
import type {
  ActParams,
  CallParams,
  CallValue,
  ChangeRow,
  DecisionRow,
  DoctorRow,
  LintRow,
  OfferKind,
  OfferRow,
  Outcome,
  ServerInfo,
  SignInState,
  SkillFileRow,
  SkillRow,
  TaskInfo,
  TokenRow,
  TypedServer,
  ViewRow,
  ViewStep,
  ViewStepRow,
  WatchedResource,
} from './protocol-rows.ts';
import type { RecordingInfo, TimelineVerbs } from './protocol-timeline.ts';
import type { Nothing, Verb } from './protocol-verb.ts';

export interface HelloResult {
  readonly version: string;
  /** Differs after a restart: the page then discards its state. */
  readonly process: string;
  /** Protocol revisions that the user can choose, newest first. */
  readonly revisions: readonly string[];
  readonly servers: readonly ServerInfo[];
  readonly questions: readonly OpenQuestion[];
  readonly policy: { readonly name: string; readonly rules: number };
  readonly recording?: { readonly file: string; readonly messages: number } | undefined;
  /** The recording that is open for time travel. */
  readonly travelling?: RecordingInfo | undefined;
  readonly messages: number;
  /** Messages that are not in the timeline, because it is full. */
  readonly dropped: number;
  /** Pass it as `since` of `/events`. */
  readonly lastEvent: number;
}

interface ServerParams {
  readonly server: string;
}

/** Every verb, with its params and its result. */
export interface Verbs extends TimelineVerbs {
  hello: Verb<Nothing, HelloResult>;
  /** A new URL with a start token, for another tab. */
  invite: Verb<Nothing, { readonly url: string }>;

  'servers.list': Verb<Nothing, { readonly servers: readonly ServerInfo[] }>;
  /** A changed revision reconnects the server. `null` negotiates the revision. */
  'servers.connect': Verb<{ readonly server: string; readonly revision?: string | null }, ServerInfo>;
  'servers.restart': Verb<ServerParams, ServerInfo>;
  'servers.stop': Verb<ServerParams, ServerInfo>;
  'servers.examine': Verb<ServerParams, { readonly findings: readonly DoctorRow[] }>;
  'servers.log': Verb<ServerParams, { readonly lines: readonly string[] }>;
  /** The server's entry for a configuration file, without secrets. */
  'servers.config': Verb<ServerParams, { readonly text: string }>;
  'servers.add': Verb<{ readonly label: string; readonly definition: TypedServer }, ServerInfo>;
  'servers.roots': Verb<
    { readonly server: string; readonly folders?: readonly string[] },
    { readonly folders: readonly string[] }
  >;

  'catalogue.list': Verb<
    { readonly kind: OfferKind; readonly cursor?: string },
    {
      readonly items: readonly OfferRow[];
      readonly total: number;
      readonly next?: string | undefined;
      /** Why the list may be incomplete. */
      readonly problems: readonly string[];
      /** Servers that were connecting, so their items are missing. */
      readonly away: readonly string[];
    }
  >;
  'catalogue.tokens': Verb<Nothing, { readonly total: number; readonly tools: readonly TokenRow[] }>;
  'catalogue.lint': Verb<Nothing, { readonly findings: readonly LintRow[] }>;
  'catalogue.forModel': Verb<
    { readonly budget: number; readonly query?: string },
    { readonly tools: readonly { readonly name: string; readonly tokens: number }[]; readonly tokens: number }
  >;

  call: Verb<CallParams, Outcome<CallValue>>;
  /** The outcome of a call, for any page; waits until the call ends. Undefined if the call was evicted. */
  'call.outcome': Verb<{ readonly ref: string }, { readonly outcome?: Outcome<CallValue> | undefined }>;
  /** Cancels the running action with this id. */
  cancel: Verb<{ readonly ref: string }, { readonly cancelled: boolean }>;
  /** `contents`, as the server sent them. */
  read: Verb<ActParams & { readonly uri: string }, Outcome<JsonObject>>;
  watch: Verb<WatchedResource & { readonly on: boolean }, { readonly watched: readonly WatchedResource[] }>;
  'watch.changes': Verb<
    Nothing,
    { readonly watched: readonly WatchedResource[]; readonly changes: readonly ChangeRow[] }
  >;
  complete: Verb<
    {
      readonly server: string;
      readonly ref:
        | { readonly type: 'prompt'; readonly name: string }
        | { readonly type: 'template'; readonly uri: string };
      readonly argument: { readonly name: string; readonly value: string };
      readonly context?: Readonly<Record<string, string>>;
    },
    { readonly values: readonly string[]; readonly total?: number | undefined; readonly hasMore?: boolean | undefined }
  >;
  /** `messages` and `description`, as the server sent them. */
  prompt: Verb<
    ActParams & { readonly prompt: string; readonly arguments: Readonly<Record<string, string>> },
    Outcome<JsonObject>
  >;

  answer: Verb<{ readonly question: string; readonly value: AnswerValue }, AnswerReceipt>;
  consent: Verb<{ readonly question: string; readonly binding: string; readonly answer: ConsentValue }, AnswerReceipt>;

  'tasks.list': Verb<Nothing, { readonly tasks: readonly TaskInfo[] }>;
  'tasks.attach': Verb<{ readonly ticket: string }, TaskInfo>;
  'tasks.detach': Verb<{ readonly ticket: string }, TaskInfo>;
  'tasks.cancel': Verb<{ readonly ticket: string }, TaskInfo>;

  /** Calls the tool and opens its view. With `call`, shows the result of that earlier call instead of calling. */
  'app.open': Verb<
    {
      readonly server: string;
      readonly tool: string;
      readonly arguments?: JsonObject;
      readonly call?: string;
      readonly context?: JsonObject;
    },
    ViewRow
  >;
  /** A message from the view's frame. Messages to the frame are `view.message` events. */
  'app.message': Verb<{ readonly view: string; readonly message: JsonObject }, Nothing>;
  /** The page reports that the frame's proxy or document loaded, or that the frame was lost. */
  'app.step': Verb<
    {
      readonly view: string;
      readonly step: ViewStep;
      readonly state: ViewStepRow['state'];
      readonly detail?: string;
    },
    Nothing
  >;
  /** Sends changed host context (theme, locale, dimensions) to the view. */
  'app.context': Verb<{ readonly view: string; readonly context: JsonObject }, Nothing>;
  'app.close': Verb<{ readonly view: string }, Nothing>;
  'app.list': Verb<Nothing, { readonly views: readonly ViewRow[] }>;

  'skills.list': Verb<Nothing, { readonly skills: readonly SkillRow[]; readonly problems: readonly string[] }>;
  'skills.verify': Verb<{ readonly server: string; readonly uri: string }, { readonly files: readonly SkillFileRow[] }>;
  'skills.load': Verb<
    { readonly server: string; readonly uri: string },
    Outcome<{ readonly text: string; readonly files: readonly string[] }>
  >;
  'skills.release': Verb<{ readonly server: string; readonly uri: string }, Nothing>;

  'signIn.steps': Verb<ServerParams, SignInState>;
  'signIn.forget': Verb<ServerParams, SignInState>;
  /** Marks the access token as expired. */
  'signIn.expire': Verb<ServerParams, SignInState>;
  /** Signs in again; `scope` is requested in addition. */
  'signIn.again': Verb<{ readonly server: string; readonly scope?: string }, SignInState>;

  'policy.rules': Verb<Nothing, { readonly name: string; readonly rules: readonly RuleRow[] }>;
  /** Newest first. Without `offset`: the page that contains `act`, or the first page. `act` is included even if `only` excludes it. */
  'policy.decisions': Verb<
    {
      readonly only?: 'asked' | 'denied';
      readonly act?: string;
      readonly offset?: number;
      readonly limit?: number;
    },
    { readonly decisions: readonly DecisionRow[]; readonly offset: number; readonly total: number }
  >;
  'policy.rehearse': Verb<
    { readonly rules: readonly DraftRule[] },
    {
      readonly decisions: number;
      readonly changes: readonly RehearsalRow[];
      readonly undecidable: readonly { readonly why: string; readonly count: number }[];
    }
  >;
  'policy.approvals': Verb<Nothing, { readonly approvals: readonly ApprovalRow[] }>;
  'policy.revoke': Verb<{ readonly id: string }, { readonly revoked: boolean }>;
  'audit.verify': Verb<
    Nothing,
    {
      readonly file?: string | undefined;
      readonly records: number;
      readonly ok: boolean;
      readonly why?: string | undefined;
    }
  >;
  'lock.diff': Verb<Nothing, { readonly file?: string | undefined; readonly items: readonly LockRow[] }>;
  'lock.accept': Verb<{ readonly kind: LockRow['kind']; readonly name: string; readonly hash: string }, Nothing>;
}
export interface AnswerReceipt {
  /** False if the question was answered before, or is closed. */
  readonly taken: boolean;
}
export type VerbName = keyof Verbs;
export type VerbParams<V extends VerbName> = Verbs[V]['params'];
export type VerbResult<V extends VerbName> = Verbs[V]['result'];
