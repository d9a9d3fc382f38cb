/** What a command says: text for people, or JSON for programs. Colours only where a person looks. */
import { styleText } from 'node:util';
import { printableIndented, printableJson, printableLines } from '../model/printable.ts';
import { wrapLines } from '../terminal/wrap-line.ts';
import { ProgressBar } from './progress-bar.ts';
import type { Shell } from './shell.ts';

type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export class Printer {
  /** True where the output is for a program. */
  readonly json: boolean;
  readonly #shell: Shell;
  /** It makes way for everything that is printed. */
  #bar: ProgressBar | undefined;

  constructor(shell: Shell, { json }: { readonly json: boolean }) {
    this.#shell = shell;
    this.json = json;
  }

  /** The result, as text. Says nothing where JSON is wanted. Text of a server goes through `sanitize` first. */
  line(text = ''): void {
    if (!this.json) this.raw(`${text}\n`);
  }

  /** The result, as one document of JSON. Says nothing where text is wanted. */
  data(value: unknown): void {
    if (this.json) this.#writeJson(JSON.stringify(value, null, 2));
  }

  /** The same for a command that goes on: one line of JSON for each event. */
  event(value: object): void {
    if (this.json) this.#writeJson(JSON.stringify(value));
  }

  /** What a terminal would act on is escaped, into a pipe too: a log is looked at on a terminal later, and the values stay the same. */
  #writeJson(json: string): void {
    this.#bar?.clear();
    this.#shell.stdout.write(`${printableJson(json)}\n`);
  }

  /** The result: JSON for programs, lines for people. */
  result(value: unknown, lines: readonly string[]): void {
    this.data(value);
    for (const line of lines) this.line(line);
  }

  /** The result as it is, to the last byte. Says nothing where JSON is wanted. */
  raw(chunk: string | Uint8Array): void {
    this.#bar?.clear();
    if (!this.json) this.#shell.stdout.write(chunk);
  }

  /** Something beside the result, on standard error: what is being done, what is odd. On a terminal it is wrapped between words. */
  note(text: string): void {
    this.#bar?.clear();
    const { stderr } = this.#shell;
    stderr.write(`${stderr.isTTY === true ? wrapLines(text, stderr.columns) : text}\n`);
  }

  /** Lines beside the result that must stay lines, such as a difference between two files. */
  lines(text: string): void {
    this.#bar?.clear();
    this.#shell.stderr.write(`${text}\n`);
  }

  /** Reports how long work comes along; draws only on a terminal. */
  progress(label: string): ProgressBar {
    this.#bar = new ProgressBar(this.#shell, label);
    return this.#bar;
  }

  style(colour: Colour, text: string, where: 'stdout' | 'stderr' = 'stdout'): string {
    return hasColors(this.#shell, where) ? styleText(colour, text, { validateStream: false }) : text;
  }
}

/** As Node decides it for itself: `FORCE_COLOR` wins over `NO_COLOR`, and over what the stream is. Its levels are one here. */
function hasColors({ env, ...streams }: Shell, where: 'stdout' | 'stderr'): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none = '', TERM: term } = env;
  if (forced !== undefined) return ['', '1', 'true', '2', '3'].includes(forced);
  return streams[where].isTTY === true && none === '' && term !== 'dumb';
}

/** Text from elsewhere, safe on a terminal; lines stay lines, and tabs tabs. A name goes through `printable`: it must not forge a line. */
export const sanitize: (text: string) => string = printableLines;

/** The same behind a word of ours: no later line of it begins where ours do. */
export const sanitizeIndented: (text: string) => string = printableIndented;

/** A number with its noun: `1 call`, `2 calls`. */
export const countOf = (count: unknown, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
