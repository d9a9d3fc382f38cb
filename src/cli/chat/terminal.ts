/** The terminal of a chat. It reads a line, or watches for Ctrl-C while a line runs, or is lent to a question. */
import { type AsyncCompleter, createInterface, type Interface, type ReadLineOptions } from 'node:readline';
import { Writable } from 'node:stream';
import { nextTurn } from '../../peer/runtime.ts';
import { onAbort } from '../../peer/wait.ts';
import type { Shell } from '../shell.ts';

export interface ChatTerminalOptions {
  readonly prompt: string;
  /** Candidates for the last word, and that word (as `completer` of node:readline). */
  complete(line: string): Promise<[string[], string]>;
}

const CLEAR = '\r\u001b[2K';

export class ChatTerminal {
  readonly #shell: Shell;
  readonly #options: ChatTerminalOptions;
  /** Lines that were typed ahead or pasted. */
  readonly #queue: string[] = [];
  #history: string[] = [];
  #lines: Interface | undefined;
  /** Unfinished input, restored after a question. */
  #typed = '';
  #mode: 'prompt' | 'watch' | undefined;
  #open: () => Interface | undefined = () => undefined;
  #asking = 0;

  constructor(shell: Shell, options: ChatTerminalOptions) {
    this.#shell = shell;
    this.#options = options;
  }

  /** A question is open. */
  get busy(): boolean {
    return this.#asking > 0;
  }

  /** Reads one line. Undefined if the user quits: Ctrl-D, or Ctrl-C on an empty line. */
  read(): Promise<string | undefined> {
    const known = this.#queue.shift();
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      let stop = (): void => undefined;
      const done = (line: string | undefined): void => {
        stop();
        this.#end();
        resolve(line);
      };
      this.#begin('prompt', () => this.#prompt(done));
      stop = onAbort(this.#shell.signal, () => done(undefined));
    });
  }

  /** While a line runs: discards input, and calls `interrupt` on Ctrl-C. Returns a function that stops. */
  watch(interrupt: () => void): () => void {
    this.#begin('watch', () => {
      const swallow = new Writable({ write: (_chunk, _encoding, written) => written() });
      // Ctrl-D closes the editor; reopens it, because without a reader Ctrl-C would end the process.
      const lines = this.#lineEditor({ output: swallow }, () => this.#reopen());
      lines.on('SIGINT', interrupt);
      return lines;
    });
    return () => this.#end();
  }

  /** Closes the line editor while a question reads the keys. */
  async lend<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#asking++ === 0) this.#close();
    try {
      return await ask();
    } finally {
      if (--this.#asking === 0) this.#reopen();
    }
  }

  /** Writes above the line that is being typed. */
  above(write: () => void): void {
    const typing = this.#mode === 'prompt' && this.#lines !== undefined;
    if (typing) this.#shell.stderr.write(CLEAR);
    write();
    if (typing) this.#lines?.prompt(true);
  }

  #prompt(done: (line: string | undefined) => void): Interface {
    const { prompt, complete } = this.#options;
    const completer: AsyncCompleter = (line, callback) =>
      void complete(line).then(
        (found) => callback(null, found),
        () => callback(null, [[], line]),
      );
    const output = this.#shell.stderr;
    const lines = this.#lineEditor({ output, prompt, completer, history: this.#history }, () => done(undefined));
    lines.on('history', (history) => {
      this.#history = history;
    });
    const typed: string[] = [];
    lines.on('line', (line) => {
      // Pasted lines arrive in one turn: queues all of them as input, so that none answers a question.
      if (typed.push(line) === 1) void nextTurn().then(() => this.#take(typed, lines, done));
    });
    lines.on('SIGINT', () => (lines.line === '' ? lines.close() : lines.write(null, { ctrl: true, name: 'u' })));
    lines.prompt();
    lines.write(this.#typed);
    this.#typed = '';
    return lines;
  }

  #take(typed: readonly string[], lines: Interface, done: (line: string | undefined) => void): void {
    const [first, ...more] = typed;
    this.#queue.push(...more);
    this.#typed = lines.line;
    done(first);
  }

  /** `closed` is called only if the user closes the editor. */
  #lineEditor(options: Omit<ReadLineOptions, 'input' | 'terminal'>, closed: () => void): Interface {
    const lines = createInterface({ ...options, input: this.#shell.stdin, terminal: true });
    lines.once('close', () => {
      if (this.#lines === lines) closed();
    });
    return lines;
  }

  #begin(mode: 'prompt' | 'watch', open: () => Interface): void {
    this.#mode = mode;
    this.#open = open;
    if (!this.busy) this.#lines = open();
  }

  #end(): void {
    this.#open = () => undefined;
    this.#close();
    this.#mode = undefined;
  }

  #close(): void {
    const lines = this.#lines;
    this.#lines = undefined;
    if (lines === undefined) return;
    if (this.#mode === 'prompt' && this.busy) {
      this.#typed = lines.line;
      this.#shell.stderr.write(CLEAR);
    }
    lines.close();
  }

  #reopen(): void {
    this.#close();
    if (!this.busy) this.#lines = this.#open();
  }
}
