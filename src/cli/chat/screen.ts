/** Output of a chat: results, streamed text, notes and a progress bar, without writing into each other's lines. */
import { printableLines } from '../../model/printable.ts';
import { wrapLines } from '../../terminal/wrap-line.ts';
import type { ContentSink } from '../content/show-content.ts';
import type { Printer } from '../printer.ts';
import type { Report } from '../progress-text.ts';
import type { Shell } from '../shell.ts';
import type { ChatTerminal } from './terminal.ts';

export type ChatEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export class Screen {
  readonly print: Printer;
  readonly #shell: Shell;
  readonly #terminal: ChatTerminal | undefined;
  /** The last chunk of streamed text did not end its line. */
  #inLine = false;
  /** Notes that arrived during a question; shown after it. */
  #heldNotes: string[] = [];

  constructor(shell: Shell, print: Printer, terminal: ChatTerminal | undefined) {
    this.#shell = shell;
    this.print = print;
    this.#terminal = terminal;
  }

  /** Shows a result: `event` with `--json`, otherwise `lines`. */
  result(event: ChatEvent, lines: readonly string[]): void {
    this.#endLine();
    this.print.event(event);
    const { isTTY, columns } = this.#shell.stdout;
    for (const line of lines) this.print.line(isTTY === true ? wrapLines(line, columns) : line);
  }

  /** A sink that collects rendered lines for `result`. */
  collect(): { readonly sink: ContentSink; readonly lines: readonly string[] } {
    const lines: string[] = [];
    const add = (text: string): void => void lines.push(...text.split('\n'));
    const { print } = this;
    const note = (text: string): void => this.note(text);
    return {
      lines,
      sink: { text: (text) => add(printableLines(text)), line: add, note, style: (...given) => print.style(...given) },
    };
  }

  /** Writes a chunk of streamed text. */
  piece(text: string): void {
    if (this.print.json || text === '') return;
    this.print.raw(text);
    this.#inLine = !text.endsWith('\n');
  }

  note(text: string): void {
    if (this.#terminal?.busy === true) this.#heldNotes.push(text);
    else if (this.#terminal === undefined) this.#writeNote(text);
    else this.#terminal.above(() => this.#writeNote(text));
  }

  /** Starts a progress bar. It is drawn in place of any other. */
  progress(label: string): { update(report: Report): void; end(): void } {
    const bar = this.print.progress(label);
    return {
      update: (report) => {
        if (this.#terminal?.busy !== true && !this.#inLine) bar.update(report);
      },
      end: () => bar.end(),
    };
  }

  /** Gives a question exclusive use of the terminal. */
  async lendTerminal<T>(ask: () => Promise<T>): Promise<T> {
    this.#endLine();
    const terminal = this.#terminal;
    if (terminal === undefined) return ask();
    try {
      return await this.print.lendTerminal(() => terminal.lend(ask));
    } finally {
      if (!terminal.busy) for (const text of this.#heldNotes.splice(0)) this.note(text);
    }
  }

  /** Ends an unfinished line. */
  #endLine(): void {
    if (this.#inLine) this.print.raw('\n');
    this.#inLine = false;
  }

  #writeNote(text: string): void {
    this.#endLine();
    this.print.note(text);
  }
}
