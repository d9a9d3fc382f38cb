/** What a chat shows: results, text as it comes, notes beside it, one progress bar; none of it in the middle of another. */
import { wrapLines } from '../../terminal/wrap-line.ts';
import type { ContentSink } from '../content/show-content.ts';
import { type Printer, sanitize } from '../printer.ts';
import type { ProgressBar, Report } from '../progress-bar.ts';
import type { Shell } from '../shell.ts';
import type { ChatTerminal } from './terminal.ts';

export type ChatEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export class Screen {
  readonly print: Printer;
  readonly #shell: Shell;
  readonly #terminal: ChatTerminal | undefined;
  #bar: ProgressBar | undefined;
  /** What a model says stops in the middle of a line. */
  #inLine = false;
  /** Notes that came while the user was being asked. */
  #held: string[] = [];

  constructor(shell: Shell, print: Printer, terminal: ChatTerminal | undefined) {
    this.#shell = shell;
    this.print = print;
    this.#terminal = terminal;
  }

  /** A result: text for people and an event for programs. */
  result(event: ChatEvent, lines: readonly string[]): void {
    this.#clear();
    this.print.event(event);
    const { isTTY, columns } = this.#shell.stdout;
    for (const line of lines) this.print.line(isTTY === true ? wrapLines(line, columns) : line);
  }

  /** Collects what a renderer shows, for `result`. */
  collect(): { readonly sink: ContentSink; readonly lines: readonly string[] } {
    const lines: string[] = [];
    const add = (text: string): void => void lines.push(...text.split('\n'));
    const { print } = this;
    const note = (text: string): void => this.note(text);
    return {
      lines,
      sink: { text: (text) => add(sanitize(text)), line: add, note, style: (...given) => print.style(...given) },
    };
  }

  /** More of a text that comes in pieces. */
  piece(text: string): void {
    if (this.print.json || text === '') return;
    this.#bar?.end();
    this.#shell.stdout.write(text);
    this.#inLine = !text.endsWith('\n');
  }

  note(text: string): void {
    if (this.#terminal?.busy === true) this.#held.push(text);
    else if (this.#terminal === undefined) this.#say(text);
    else this.#terminal.above(() => this.#say(text));
  }

  /** A bar for something that takes long; the next one takes its place. */
  progress(label: string): { update(report: Report): void; end(): void } {
    const bar = this.print.progress(label);
    this.#bar = bar;
    return {
      update: (report) => {
        if (this.#terminal?.busy !== true && !this.#inLine) bar.update(report);
      },
      end: () => bar.end(),
    };
  }

  /** Lends the terminal to a question. */
  async away<T>(ask: () => Promise<T>): Promise<T> {
    this.#clear();
    if (this.#terminal === undefined) return ask();
    try {
      return await this.#terminal.away(ask);
    } finally {
      if (!this.#terminal.busy) for (const text of this.#held.splice(0)) this.note(text);
    }
  }

  /** Whatever comes next begins on a line of its own. */
  #clear(): void {
    this.#bar?.end();
    if (this.#inLine) this.#shell.stdout.write('\n');
    this.#inLine = false;
  }

  #say(text: string): void {
    this.#clear();
    this.print.note(text);
  }
}
