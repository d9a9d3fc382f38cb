/** Protocol types and verbs for messages: timeline, latency, comparison, recordings, export, chat. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { CallValue, Outcome, ScreenName, ServerInfo } from './protocol-rows.ts';
import type { Nothing, Verb } from './protocol-verb.ts';

// Timeline

/** One message or HTTP exchange. Ids start at 1 and have no gaps. */
export interface MessageRow {
  readonly id: number;
  readonly at: number;
  readonly server: string;
  /** `>` to the server, `<` from it, `http` for an HTTP exchange. */
  readonly side: '>' | '<' | 'http';
  readonly kind: 'request' | 'response' | 'notification' | 'http';
  /** The method; of a response, the method of its request; of an HTTP exchange, `POST 200`. */
  readonly method: string;
  /** The tool, URI or prompt that the message is about. */
  readonly subject?: string | undefined;
  /** A one-line summary. Only `timeline.page` and `timeline.message` fill it in. */
  readonly what?: string | undefined;
  /** The id of the span, which is the id of its request. */
  readonly span?: number | undefined;
  readonly ms?: number | undefined;
  readonly isError: boolean;
  readonly bytes: number;
}
export interface MessageDetail extends MessageRow {
  /** With secrets masked. */
  readonly message: JsonObject;
  /** JSON Pointers to masked values that `timeline.reveal` can still show. */
  readonly masked: readonly string[];
  readonly screen?: ScreenName | undefined;
  readonly act?: string | undefined;
}
/** A request and its response, as a period of time. */
export interface SpanRow {
  readonly id: number;
  readonly server: string;
  readonly side: '>' | '<';
  readonly method: string;
  readonly subject?: string | undefined;
  readonly from: number;
  /** Undefined while the request is open. */
  readonly to?: number | undefined;
  readonly isError: boolean;
  readonly cancelled: boolean;
  /** For a request that the server sent during a call: the span of that call. */
  readonly parent?: number | undefined;
  readonly act?: string | undefined;
  readonly ref?: string | undefined;
}
export interface TimelineFilter {
  readonly server?: string;
  /** A method, or a prefix with `*` such as `tools/*`. */
  readonly method?: string;
  readonly subject?: string;
  readonly errors?: boolean;
  readonly text?: string;
  /** Includes HTTP exchanges. Default: false. */
  readonly http?: boolean;
}
export interface LatencyRow {
  readonly key: string;
  readonly count: number;
  readonly errors: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  /** The id of the slowest span. */
  readonly slowest: number;
  /** Number of requests per bar, `below` its upper bound in milliseconds; the last bar is unbounded. */
  readonly histogram: readonly { readonly below?: number | undefined; readonly count: number }[];
}

// Compare, travel, export, chat

export interface CompareSide {
  readonly server: string;
  readonly revision: string;
  readonly outcome: Outcome<CallValue>;
  readonly messages: readonly MessageDetail[];
  readonly roundTrips: number;
  readonly bytes: number;
}
export interface CompareRow {
  readonly left?: number | undefined;
  readonly right?: number | undefined;
  /** `same`: equal except for the id. `alike`: same meaning. `one`: only one side has the message. */
  readonly relation: 'same' | 'alike' | 'one';
  /** The message's role, such as `call`, `question`, `answer`, `result`; handshakes and notifications with direction (`handshake >`). */
  readonly meaning: string;
  /** Added and removed members, such as `+ _meta (3 members)`. */
  readonly notes: readonly string[];
}
/** The state of a client after some messages, derived from these messages. */
export interface MomentState {
  readonly revision?: string | undefined;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly open: readonly {
    readonly id: string;
    readonly side: '>' | '<';
    readonly method: string;
    readonly line: number;
  }[];
  readonly questions: readonly { readonly method: string; readonly message: string; readonly line: number }[];
  readonly tasks: readonly { readonly taskId: string; readonly status: string; readonly line: number }[];
  readonly counts: { readonly messages: number; readonly errors: number };
}
export interface RecordingInfo {
  readonly name: string;
  readonly server: string;
  /** ISO 8601. */
  readonly at: string;
  readonly lines: number;
  readonly ms: number;
}
export interface RecordedRow extends Pick<MessageRow, 'side' | 'kind' | 'method' | 'subject' | 'what' | 'isError'> {
  readonly line: number;
  /** Since the start of the recording. */
  readonly ms: number;
}
export type ExportFormat = 'cli' | 'test' | 'cassette' | 'curl' | 'json';
/** One event of a chat run. `span` links to its messages. */
export interface ChatRow {
  readonly id: number;
  readonly at: number;
  readonly type:
    | 'user'
    | 'text'
    | 'approval'
    | 'tool-start'
    | 'progress'
    | 'tool-result'
    | 'denied'
    | 'usage'
    | 'done'
    | 'error';
  readonly text: string;
  readonly name?: string | undefined;
  readonly arguments?: JsonObject | undefined;
  readonly isError?: boolean | undefined;
  readonly act?: string | undefined;
  readonly span?: number | undefined;
}
export interface ChatState {
  /** `scripted`, or `openai:<name>`. */
  readonly model: string;
  /** The script of a scripted model, as YAML. */
  readonly script?: string | undefined;
  readonly running: boolean;
  readonly rows: readonly ChatRow[];
}

// Verbs

/** Verbs for timeline, comparison, recordings, export and chat. */
export interface TimelineVerbs {
  /** Matching rows from `offset`, oldest first; without `offset`, the last `limit` rows. `limit` is at most 500. */
  'timeline.page': Verb<
    { readonly offset?: number; readonly limit?: number; readonly filter?: TimelineFilter },
    { readonly rows: readonly MessageRow[]; readonly offset: number; readonly total: number }
  >;
  'timeline.message': Verb<{ readonly id: number }, MessageDetail>;
  /** Spans that overlap this period: the newest 2,000. `left` is the number of omitted ones. */
  'timeline.spans': Verb<{ readonly from?: number; readonly to?: number }, { readonly spans: readonly SpanRow[] }>;
  /** Shows a masked value, after the user confirms in the terminal. */
  'timeline.reveal': Verb<{ readonly id: number; readonly place: string }, { readonly value: string }>;
  'timeline.stats': Verb<{ readonly by: 'method' | 'tool' | 'server' }, { readonly rows: readonly LatencyRow[] }>;

  compare: Verb<
    {
      readonly call: { readonly tool: string; readonly arguments: JsonObject };
      readonly left: { readonly server: string; readonly revision: string };
      readonly right: { readonly server: string; readonly revision: string };
    },
    { readonly left: CompareSide; readonly right: CompareSide; readonly rows: readonly CompareRow[] }
  >;

  /** Starts or stops recording all messages of a server. */
  record: Verb<
    { readonly on: boolean; readonly file?: string; readonly server?: string },
    { readonly file?: string | undefined; readonly messages: number }
  >;
  /** Opens a recording: a file on this machine, the text of one, or this session's messages with a server so far. */
  'travel.open': Verb<
    { readonly file: string } | { readonly text: string; readonly name?: string } | { readonly server: string },
    RecordingInfo
  >;
  /** The state after `line` lines. */
  'travel.at': Verb<
    { readonly line: number },
    { readonly line: number; readonly ms: number; readonly state: MomentState }
  >;
  'travel.lines': Verb<
    { readonly offset: number; readonly limit: number },
    { readonly rows: readonly RecordedRow[]; readonly total: number }
  >;
  'travel.line': Verb<{ readonly line: number }, { readonly row: RecordedRow; readonly message: JsonObject }>;
  /** Adds the recording to the workbench as a server that replays it. */
  'travel.serve': Verb<Nothing, ServerInfo>;
  'travel.close': Verb<Nothing, Nothing>;

  export: Verb<
    { readonly spans: readonly number[]; readonly as: ExportFormat },
    { readonly text: string; readonly fileName: string; readonly notes: readonly string[] }
  >;

  'chat.state': Verb<Nothing, ChatState>;
  'chat.say': Verb<{ readonly text: string }, ChatState>;
  /** Replaces the script and clears the conversation. */
  'chat.script': Verb<{ readonly text: string }, ChatState>;
  'chat.stop': Verb<Nothing, ChatState>;
}
