/** Events that the workbench process sends to its pages. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { OpenQuestion } from './protocol-questions.ts';
import type { ChangeRow, DecisionRow, ServerInfo, SignInStepRow, TaskInfo, ViewRow } from './protocol-rows.ts';
import type { ChatRow, MessageRow, RecordingInfo, SpanRow } from './protocol-timeline.ts';

/** Event names and their params. */
export interface WorkbenchEvents {
  server: { readonly server: ServerInfo };
  /** New rows, batched: at most 60 events a second. In a flood, `rows` lacks some; `total` counts all rows of the session. */
  message: {
    readonly rows: readonly MessageRow[];
    readonly total: number;
    /** Messages that are not in the timeline, because it is full. */
    readonly dropped: number;
  };
  span: { readonly spans: readonly SpanRow[] };
  question: { readonly question: OpenQuestion };
  'question.gone': { readonly id: string; readonly why: 'answered' | 'cancelled' };
  progress: {
    readonly ref: string;
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  };
  /** A server announced that one of its lists changed. */
  catalogue: { readonly server: string };
  changed: ChangeRow;
  task: { readonly task: TaskInfo };
  view: { readonly view: ViewRow };
  /** A message to the view's frame, or `{ blob, bytes }` in place of a large one. */
  'view.message': { readonly view: string; readonly message: JsonObject };
  log: { readonly server: string; readonly lines: readonly string[] };
  decision: { readonly decision: DecisionRow };
  signIn: { readonly server: string; readonly step: SignInStepRow };
  recording: { readonly file?: string | undefined; readonly messages: number };
  /** The recording that is open for time travel, in all pages; none is open without it. */
  travelling: { readonly recording?: RecordingInfo };
  /** New and changed rows. `isNew`: the script was replaced, and the rows before are gone; `chat.state` has the new state. */
  chat: { readonly rows: readonly ChatRow[]; readonly running: boolean; readonly isNew?: true };
  /** The outcome of a request that was answered with `{ pending }`: an error, or a result, possibly as `{ blob, bytes }`. */
  answered: { readonly pending: string; readonly result?: unknown; readonly error?: JsonObject | undefined };
  /** The page must call `hello` again and reload what it displays: it missed events (`missed`), or one was too large to be sent. */
  reload: { readonly process: string; readonly missed: boolean };
  /** The workbench process is shutting down. */
  end: { readonly why: string };
}
export type EventName = keyof WorkbenchEvents;
