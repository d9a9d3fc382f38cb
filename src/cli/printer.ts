/** Output of a command: text, or JSON with `--json`. Uses colors only on terminals. */
import { styleText } from 'node:util';
import { printable, printableIndented, printableJson } from '../model/printable.ts';
import { wrapLines } from '../terminal/wrap-line.ts';
import { ProgressBar } from './progress-bar.ts';
import type { Shell } from './shell.ts';

type TextStyle = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export class Printer {
  /** `--json` was passed. */
  readonly json: boolean;
  readonly #shell: Shell;
  /** The bar that was drawn last: all share one line, which is cleared before anything else is printed. */
  #bar: ProgressBar | undefined;

  constructor(shell: Shell, { json }: { readonly json: boolean }) {
    this.#shell = shell;
    this.json = json;
  }

  /** Prints a line of the result; nothing with `--json`. The caller passes text of a server through `printable` or `printableLines` first. */
  line(text = ''): void {
    if (!this.json) this.raw(`${text}\n`);
  }

  /** With `--json`, prints the result as one JSON document. */
  data(value: unknown): void {
    if (this.json) this.#writeJson(JSON.stringify(value, null, 2));
  }

  /** With `--json`, prints one line of JSON (NDJSON). For commands that report events until they end. */
  event(value: object): void {
    if (this.json) this.#writeJson(JSON.stringify(value));
  }

  /** Escapes control characters as `\u…`, in pipes too: a log can be shown on a terminal later. Parsed values are unchanged. */
  #writeJson(json: string): void {
    this.#bar?.clear();
    this.#shell.stdout.write(`${printableJson(json)}\n`);
  }

  /** Prints the result: `value` with `--json`, otherwise `lines`. */
  result(value: unknown, lines: readonly string[]): void {
    this.data(value);
    for (const line of lines) this.line(line);
  }

  /** Writes the result byte for byte; nothing with `--json`. */
  raw(chunk: string | Uint8Array): void {
    this.#bar?.clear();
    if (!this.json) this.#shell.stdout.write(chunk);
  }

  /** Prints a status or warning to stderr, wrapped between words on a terminal. */
  note(text: string): void {
    this.#bar?.clear();
    const { stderr } = this.#shell;
    stderr.write(`${stderr.isTTY === true ? wrapLines(text, stderr.columns) : text}\n`);
  }

  /** Prints to stderr without wrapping, for text such as a diff. */
  lines(text: string): void {
    this.#bar?.clear();
    this.#shell.stderr.write(`${text}\n`);
  }

  /** Starts a progress bar, which draws only on a terminal. */
  progress(label: string): ProgressBar {
    const bar: ProgressBar = new ProgressBar(this.#shell, label, () => {
      this.#bar = bar;
    });
    this.#bar = bar;
    return bar;
  }

  /** Hides the progress bar, if there is one, while `ask` uses the terminal. */
  lendTerminal<T>(ask: () => Promise<T>): Promise<T> {
    return this.#bar === undefined ? ask() : this.#bar.pauseDuring(ask);
  }

  style(format: TextStyle, text: string, where: 'stdout' | 'stderr' = 'stdout'): string {
    return hasColors(this.#shell, where) ? styleText(format, text, { validateStream: false }) : text;
  }
}

/** As in Node, `FORCE_COLOR` overrides `NO_COLOR` and the stream. All its levels mean the same here. */
function hasColors({ env, ...streams }: Shell, where: 'stdout' | 'stderr'): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none = '', TERM: term } = env;
  if (forced !== undefined) return ['', '1', 'true', '2', '3'].includes(forced);
  return streams[where].isTTY === true && none === '' && term !== 'dumb';
}

/** Prints a note about a server, with text of it. */
export function noteAbout(server: string, text: string, print: Pick<Printer, 'note' | 'style'>): void {
  print.note(`${print.style('yellow', printable(server), 'stderr')}: ${printableIndented(text)}`);
}

/** `1 call`, `2 calls`. */
export const countOf = (count: unknown, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
