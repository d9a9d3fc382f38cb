/** Events that the workbench process sends to its pages. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { OpenQuestion } from './protocol-questions.ts';
import type { ChangeRow, DecisionRow, ServerInfo, SignInStepRow, TaskInfo, ViewRow } from './protocol-rows.ts';
import type { ChatRow, MessageRow, SpanRow } from './protocol-timeline.ts';

/** Event names and their params. */
export interface WorkbenchEvents {
  server: { readonly server: ServerInfo } | { readonly removed: string };
  /** New rows, batched: at most 60 events a second. `left` rows were omitted from `rows`; `total` counts all rows of the session. */
  message: { readonly rows: readonly MessageRow[]; readonly left: number; readonly total: number };
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
  'view.message': { readonly view: string; readonly message: JsonObject };
  log: { readonly server: string; readonly lines: readonly string[] };
  decision: { readonly decision: DecisionRow };
  signIn: { readonly server: string; readonly step: SignInStepRow };
  recording: { readonly file?: string | undefined; readonly messages: number };
  chat: { readonly rows: readonly ChatRow[]; readonly running: boolean };
  /** The outcome of a request that was answered with `{ pending }`: an error, or a result, possibly as `{ blob, bytes }`. */
  answered: { readonly pending: string; readonly result?: unknown; readonly error?: JsonObject | undefined };
  /** The page missed events: it must call `hello` again and reload what it displays. */
  reload: { readonly process: string };
  /** The workbench process is shutting down. */
  end: { readonly why: string };
}
export type EventName = keyof WorkbenchEvents;
