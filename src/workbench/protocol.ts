/**
 * What the page and the process of the workbench say to each other. Types and plain functions only: it runs in both.
 *
 * - `POST /start` `{ token }`, the token of the URL's fragment: `{ token }` of the session, once, within two minutes.
 * - `POST /rpc`, `Authorization: Bearer <token>`: one JSON-RPC request of `Verbs`, one response. A result over 1 MiB comes as
 *   `{ blob, bytes }` (`isBlob`) and is read from `/blob/<id>` as JSON. What takes over a second is answered with `{ pending }`
 *   (`isPending`), and its result or error comes as the event `answered`: browsers hold few connections open at once.
 * - `GET /events?since=<id>`, the same header: server-sent events with growing ids, each a JSON-RPC notification of `WorkbenchEvents`.
 *   Where `since` is too old or from another process, the first event is `reload`: ask `hello` again.
 * - `GET /blob/<id>`, the same header, once.
 *
 * What an act came to, also when it failed, is a result (`Outcome`). JSON-RPC errors are for bad params and unknown verbs.
 * Times are milliseconds since 1970, durations milliseconds. Texts of servers are unverified, and never markup.
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
  /** Another one after a restart: forget everything. */
  readonly process: string;
  /** All that can be chosen, newest first. */
  readonly revisions: readonly string[];
  readonly servers: readonly ServerInfo[];
  readonly questions: readonly OpenQuestion[];
  readonly policy: { readonly name: string; readonly rules: number };
  readonly recording?: { readonly file: string; readonly messages: number } | undefined;
  /** A recording that is open for travel. */
  readonly travelling?: RecordingInfo | undefined;
  readonly messages: number;
  /** Pass it as `since`. */
  readonly lastEvent: number;
}

interface OfServer {
  readonly server: string;
}

/** Every verb, with its params and its result. */
export interface Verbs extends TimelineVerbs {
  hello: Verb<Nothing, HelloResult>;
  /** A new URL with a start token, for another tab. */
  invite: Verb<Nothing, { readonly url: string }>;

  'servers.list': Verb<Nothing, { readonly servers: readonly ServerInfo[] }>;
  /** Another revision than before opens it again. `null` negotiates. */
  'servers.connect': Verb<{ readonly server: string; readonly revision?: string | null }, ServerInfo>;
  'servers.restart': Verb<OfServer, ServerInfo>;
  'servers.stop': Verb<OfServer, ServerInfo>;
  'servers.examine': Verb<OfServer, { readonly findings: readonly DoctorRow[] }>;
  'servers.log': Verb<OfServer, { readonly lines: readonly string[] }>;
  /** Its entry for a configuration file, without secrets. */
  'servers.config': Verb<OfServer, { readonly text: string }>;
  'servers.add': Verb<{ readonly label: string; readonly definition: TypedServer }, ServerInfo>;
  'servers.roots': Verb<
    { readonly server: string; readonly folders?: readonly string[] },
    { readonly folders: readonly string[] }
  >;

  'catalogue.list': Verb<
    { readonly kind: OfferKind; readonly server?: string; readonly query?: string; readonly cursor?: string },
    {
      readonly items: readonly OfferRow[];
      readonly total: number;
      readonly next?: string | undefined;
      /** Why something may be missing. */
      readonly problems: readonly string[];
      /** Servers that were being opened at that moment. */
      readonly away: readonly string[];
    }
  >;
  'catalogue.tokens': Verb<
    { readonly server?: string },
    { readonly total: number; readonly tools: readonly TokenRow[] }
  >;
  'catalogue.lint': Verb<{ readonly server?: string }, { readonly findings: readonly LintRow[] }>;
  'catalogue.forModel': Verb<
    { readonly budget: number; readonly query?: string },
    { readonly tools: readonly { readonly name: string; readonly tokens: number }[]; readonly tokens: number }
  >;

  call: Verb<CallParams, Outcome<CallValue>>;
  /** What comes of the call with this id, also for another page; undefined where it is no longer known. */
  'call.outcome': Verb<{ readonly ref: string }, { readonly outcome?: Outcome<CallValue> | undefined }>;
  /** Cancels what runs under this id. */
  cancel: Verb<{ readonly ref: string }, { readonly cancelled: boolean }>;
  /** `contents`, as they came. */
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
  /** `messages` and `description`, as they came. */
  prompt: Verb<
    ActParams & { readonly prompt: string; readonly arguments: Readonly<Record<string, string>> },
    Outcome<JsonObject>
  >;

  answer: Verb<{ readonly question: string; readonly value: AnswerValue }, Settled>;
  consent: Verb<{ readonly question: string; readonly binding: string; readonly answer: ConsentValue }, Settled>;

  'tasks.list': Verb<Nothing, { readonly tasks: readonly TaskInfo[] }>;
  'tasks.attach': Verb<{ readonly ticket: string }, TaskInfo>;
  'tasks.detach': Verb<{ readonly ticket: string }, TaskInfo>;
  'tasks.cancel': Verb<{ readonly ticket: string }, TaskInfo>;

  /** Calls the tool and opens its view; with `call`, the view of a call that was made. */
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
  /** A message of the frame. Those to the frame are events `view.message`. */
  'app.message': Verb<{ readonly view: string; readonly message: JsonObject }, Nothing>;
  /** What the page saw of the frame: that its proxy or its page loaded, or that it was lost. */
  'app.step': Verb<
    {
      readonly view: string;
      readonly step: ViewStep;
      readonly state: ViewStepRow['state'];
      readonly detail?: string;
    },
    Nothing
  >;
  /** Theme, locale, dimensions. */
  'app.context': Verb<{ readonly view: string; readonly context: JsonObject }, Nothing>;
  'app.close': Verb<{ readonly view: string }, Nothing>;
  'app.list': Verb<Nothing, { readonly views: readonly ViewRow[] }>;

  'skills.list': Verb<
    { readonly server?: string },
    { readonly skills: readonly SkillRow[]; readonly problems: readonly string[] }
  >;
  'skills.verify': Verb<{ readonly server: string; readonly uri: string }, { readonly files: readonly SkillFileRow[] }>;
  'skills.load': Verb<
    { readonly server: string; readonly uri: string },
    Outcome<{ readonly text: string; readonly files: readonly string[] }>
  >;
  'skills.release': Verb<{ readonly server: string; readonly uri: string }, Nothing>;

  'signIn.steps': Verb<OfServer, SignInState>;
  'signIn.forget': Verb<OfServer, SignInState>;
  /** Pretends that the access token has expired. */
  'signIn.expire': Verb<OfServer, SignInState>;
  /** Signs in again; with a scope, asks for it too. */
  'signIn.again': Verb<{ readonly server: string; readonly scope?: string }, SignInState>;

  'policy.rules': Verb<Nothing, { readonly name: string; readonly rules: readonly RuleRow[] }>;
  /** Newest first. Without an offset, the page with this act, or the first; the act is there whatever `only` says. */
  'policy.decisions': Verb<
    {
      readonly server?: string;
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
  'lock.diff': Verb<
    { readonly server?: string },
    { readonly file?: string | undefined; readonly items: readonly LockRow[] }
  >;
  'lock.accept': Verb<{ readonly kind: LockRow['kind']; readonly name: string; readonly hash: string }, Nothing>;
}
export interface Settled {
  /** False where it was answered before, or is over. */
  readonly taken: boolean;
}
export type VerbName = keyof Verbs;
export type VerbParams<V extends VerbName> = Verbs[V]['params'];
export type VerbResult<V extends VerbName> = Verbs[V]['result'];
