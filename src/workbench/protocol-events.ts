/** What the process of the workbench tells its pages. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { OpenQuestion } from './protocol-questions.ts';
import type { ChangeRow, DecisionRow, ServerInfo, SignInStepRow, TaskInfo, ViewRow } from './protocol-rows.ts';
import type { ChatRow, MessageRow, SpanRow } from './protocol-timeline.ts';

/** Every event, with its params. */
export interface WorkbenchEvents {
  server: { readonly server: ServerInfo } | { readonly removed: string };
  /** At most 60 a second, with how many rows were left out of `rows`; `total` counts them all. */
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
  /** The lists of a server changed. */
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
  /** The rest of a response that was `{ pending }`: a result, which can be `{ blob, bytes }`, or an error. */
  answered: { readonly pending: string; readonly result?: unknown; readonly error?: JsonObject | undefined };
  /** Events were missed: ask `hello`, and what is on the screen, again. */
  reload: { readonly process: string };
  /** The process ends. */
  end: { readonly why: string };
}
export type EventName = keyof WorkbenchEvents;
