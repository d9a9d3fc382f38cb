/** What the page of the workbench is shown of messages: the timeline, latency, comparisons, recordings, the chat. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { CallValue, Outcome, ScreenName, ServerInfo } from './protocol-rows.ts';
import type { Nothing, Verb } from './protocol-verb.ts';

// Timeline

/** One message or HTTP exchange. Rows are numbered from 1 without gaps. */
export interface MessageRow {
  readonly id: number;
  readonly at: number;
  readonly server: string;
  /** `>` to the server, `<` from it, `http` for an HTTP exchange. */
  readonly side: '>' | '<' | 'http';
  readonly kind: 'request' | 'response' | 'notification' | 'http';
  /** Of a response: that of its request. Of HTTP: `POST 200`. */
  readonly method: string;
  /** The tool, URI or prompt that it is about. */
  readonly subject?: string | undefined;
  /** What it says, in a line; in pages of the timeline and in details. */
  readonly what?: string | undefined;
  /** The first message of the span that it belongs to: a request, until its response. */
  readonly span?: number | undefined;
  readonly ms?: number | undefined;
  readonly isError: boolean;
  readonly bytes: number;
}
export interface MessageDetail extends MessageRow {
  /** Masked. */
  readonly message: JsonObject;
  /** Places of masks, for `timeline.reveal`; those whose value is still known. */
  readonly masked: readonly string[];
  readonly screen?: ScreenName | undefined;
  readonly act?: string | undefined;
}
/** A request, from its first message to its response. */
export interface SpanRow {
  readonly id: number;
  readonly server: string;
  readonly side: '>' | '<';
  readonly method: string;
  readonly subject?: string | undefined;
  readonly from: number;
  /** Undefined while it is open. */
  readonly to?: number | undefined;
  readonly isError: boolean;
  readonly cancelled: boolean;
  /** The span in which it was asked: a question of the server during a call. */
  readonly parent?: number | undefined;
  readonly act?: string | undefined;
  readonly ref?: string | undefined;
}
export interface TimelineFilter {
  readonly server?: string;
  /** A method, or its beginning with `*`: `tools/*`. */
  readonly method?: string;
  readonly subject?: string;
  readonly errors?: boolean;
  readonly text?: string;
  /** With HTTP exchanges. They are left out otherwise. */
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
  /** The span that took longest. */
  readonly slowest: number;
  /** Counts below each bound; the last has none. */
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
  /** `same`: equal but for its id. `alike`: the same meaning. `one`: only on one side. */
  readonly relation: 'same' | 'alike' | 'one';
  /** What it means: `handshake`, `call`, `question`, `answer`, `result`, `notification`, `list`. */
  readonly meaning: string;
  /** `+ _meta (3 members)`. */
  readonly notes: readonly string[];
}
/** What a client knows at a moment: made from the messages before it, live as in a recording. */
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
export interface RecordedRow {
  readonly line: number;
  readonly ms: number;
  readonly side: '>' | '<';
  readonly kind: 'request' | 'response' | 'notification';
  readonly method: string;
  /** The tool, the prompt, the URI; of a response, that of its request. */
  readonly subject?: string | undefined;
  readonly what?: string | undefined;
  readonly isError: boolean;
}
export type ExportFormat = 'cli' | 'test' | 'cassette' | 'curl' | 'json';
/** A step of a run of the chat. `spans` lead to its messages. */
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
  /** Of a scripted model, as YAML. */
  readonly script?: string | undefined;
  readonly running: boolean;
  readonly rows: readonly ChatRow[];
}

// Verbs

/** Of the timeline, comparisons, recordings, exports and the chat. */
export interface TimelineVerbs {
  /** Rows `offset` to `offset + limit` of those that match, oldest first; without an offset, the last ones. At most 500. */
  'timeline.page': Verb<
    { readonly offset?: number; readonly limit?: number; readonly filter?: TimelineFilter },
    { readonly rows: readonly MessageRow[]; readonly offset: number; readonly total: number }
  >;
  'timeline.message': Verb<{ readonly id: number }, MessageDetail>;
  /** Spans that are open within this time, at most 2,000, newest kept. */
  'timeline.spans': Verb<
    { readonly from?: number; readonly to?: number; readonly server?: string },
    { readonly spans: readonly SpanRow[]; readonly left: number }
  >;
  /** The value behind a mask, after a yes in the terminal. */
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

  /** Records all messages of a server from now on, or stops. */
  record: Verb<
    { readonly on: boolean; readonly file?: string; readonly server?: string },
    { readonly file?: string | undefined; readonly messages: number }
  >;
  /** A file on this machine, its text, or what this session said with a server so far. */
  'travel.open': Verb<
    { readonly file: string } | { readonly text: string; readonly name?: string } | { readonly server: string },
    RecordingInfo
  >;
  /** The state after so many lines, or so many milliseconds. */
  'travel.at': Verb<
    { readonly line?: number; readonly ms?: number },
    { readonly line: number; readonly ms: number; readonly state: MomentState }
  >;
  'travel.lines': Verb<
    { readonly offset: number; readonly limit: number },
    { readonly rows: readonly RecordedRow[]; readonly total: number }
  >;
  'travel.line': Verb<{ readonly line: number }, { readonly row: RecordedRow; readonly message: JsonObject }>;
  /** Serves the recording as a server of the workbench. */
  'travel.serve': Verb<Nothing, ServerInfo>;
  'travel.close': Verb<Nothing, Nothing>;

  export: Verb<
    { readonly spans: readonly number[]; readonly as: ExportFormat },
    { readonly text: string; readonly fileName: string; readonly notes: readonly string[] }
  >;

  'chat.state': Verb<Nothing, ChatState>;
  'chat.say': Verb<{ readonly text: string }, ChatState>;
  /** Sets the script; the conversation starts again. */
  'chat.script': Verb<{ readonly text: string }, ChatState>;
  'chat.stop': Verb<Nothing, ChatState>;
}
