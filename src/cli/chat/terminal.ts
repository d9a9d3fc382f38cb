/** The terminal of a chat: a line is typed, or something runs and Ctrl-C is listened for, or a question has it. */
import { type AsyncCompleter, createInterface, type Interface, type ReadLineOptions } from 'node:readline';
import { Writable } from 'node:stream';
import { nextTurn } from '../../peer/runtime.ts';
import { onAbort } from '../../peer/wait.ts';
import type { Shell } from '../shell.ts';

export interface ChatTerminalOptions {
  readonly prompt: string;
  /** What the end of a line may become, and which end that is. */
  complete(line: string): Promise<[string[], string]>;
}

const CLEAR = '\r\u001b[2K';

export class ChatTerminal {
  readonly #shell: Shell;
  readonly #options: ChatTerminalOptions;
  /** What was typed ahead, or pasted, and not read yet. */
  readonly #ahead: string[] = [];
  #history: string[] = [];
  #lines: Interface | undefined;
  /** The line that was being typed when a question came. */
  #typed = '';
  #mode: 'prompt' | 'watch' | undefined;
  #open: () => Interface | undefined = () => undefined;
  #asking = 0;

  constructor(shell: Shell, options: ChatTerminalOptions) {
    this.#shell = shell;
    this.#options = options;
  }

  /** A question has the terminal. */
  get busy(): boolean {
    return this.#asking > 0;
  }

  /** A line; undefined when they want to go: Ctrl-D, or Ctrl-C with nothing typed. */
  read(): Promise<string | undefined> {
    const known = this.#ahead.shift();
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

  /** While something runs: what is typed is neither shown nor kept, and Ctrl-C calls back. Returns how to stop it. */
  watch(interrupt: () => void): () => void {
    this.#begin('watch', () => {
      const swallow = new Writable({ write: (_chunk, _encoding, written) => written() });
      // Ctrl-D means nothing here, but without a reader Ctrl-C would end the process.
      const lines = this.#lineEditor({ output: swallow }, () => this.#reopen());
      lines.on('SIGINT', interrupt);
      return lines;
    });
    return () => this.#end();
  }

  /** Lends the terminal to a question, which alone reads the keys. */
  async away<T>(ask: () => Promise<T>): Promise<T> {
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
    const completer: AsyncCompleter = (line, told) =>
      void complete(line).then(
        (found) => told(null, found),
        () => told(null, [[], line]),
      );
    const output = this.#shell.stderr;
    const lines = this.#lineEditor({ output, prompt, completer, history: this.#history }, () => done(undefined));
    lines.on('history', (history) => {
      this.#history = history;
    });
    const typed: string[] = [];
    lines.on('line', (line) => {
      // Whatever was pasted comes in one turn, and all of it is meant for us.
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
    this.#ahead.push(...more);
    this.#typed = lines.line;
    done(first);
  }

  /** `closed` is called when the user closes it, not when we do. */
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
