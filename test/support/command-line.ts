/** Runs the command line in this process with a fake shell, or in a child process. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { runCommandLine } from '../../src/cli/run.ts';
import type { Shell } from '../../src/cli/shell.ts';
import { type Clock, systemClock } from '../../src/peer/clock.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. With `tty`, each line answers a question. */
  readonly stdin?: string;
  /** Whether standard input is a terminal. */
  readonly tty?: boolean;
  /** The width of the terminal; 120 by default. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** The platform; Linux by default. */
  readonly platform?: string;
  /** Called with output as it is printed, for commands that keep running. */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

/** Bundled before the tests, because one file loads faster than hundreds. */
export const main: string = resolve('.cache/fixtures/cli/main.mjs');
/** Starts our command from TypeScript sources. */
export const self = {
  command: process.execPath,
  args: ['--import', resolve('node_modules/tsx/dist/esm/index.mjs'), main],
};

class Collected extends Writable {
  text = '';
  wrote: () => void = () => undefined;
  readonly isTTY: boolean;
  readonly columns: number;

  readonly #told: (text: string) => void;

  constructor(isTTY: boolean, columns: number, told: (text: string) => void = () => undefined) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
    this.#told = told;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.#told(chunk.toString());
    this.wrote();
    done();
  }
}

/** Longer than the time in which the terminal ignores consent as too fast. */
const READING_MS = 350;

/** A user who types the next line at each prompt, and leaves when there are no more lines. */
function typeInto(input: PassThrough, output: Collected, text: string): void {
  const lines = text.split('\n');
  // After the last line break there is no further line.
  if (lines.at(-1) === '') lines.pop();
  let seen = 0;
  const waits = (): boolean =>
    output.text.length > seen && stripVTControlCharacters(output.text).endsWith(' ') && !input.writableEnded;
  const type = (): void => {
    if (!waits()) return;
    const line = lines.shift();
    seen = output.text.length + (line?.length ?? 0);
    if (line === undefined) input.end();
    else input.write(`${line}\r`);
  };
  output.wrote = () =>
    setImmediate(() => {
      // Consent that is faster than reading is ignored.
      const isConsent = stripVTControlCharacters(output.text).endsWith('[?] explain: ');
      if (isConsent) setTimeout(type, READING_MS);
      else type();
    });
}

/** Runs it in this process, by default with an empty home. */
export async function mooring(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { tty = false, columns = 120, stdin = '', cwd = process.cwd(), env = {}, clock = systemClock } = options;
  await using empty = await folder();
  const [stdout, stderr] = [
    new Collected(tty, columns, options.onStdout),
    new Collected(tty, columns, options.onStderr),
  ];
  const input = Object.assign(new PassThrough(), { isTTY: tty });
  if (tty) typeInto(input, stderr, stdin);
  else input.end(stdin);
  const shell: Shell = {
    stdin: input,
    stdout,
    stderr,
    // Keeps getters, because a test can have a variable that changes.
    env: Object.defineProperties({ NO_COLOR: '1' }, Object.getOwnPropertyDescriptors(env)),
    cwd,
    home: options.home ?? empty.path,
    platform: options.platform ?? 'linux',
    signal: options.signal ?? new AbortController().signal,
    clock,
    self,
  };
  const code = await runCommandLine(args, shell);
  // A process that still reads its terminal does not exit.
  if (tty && input.readableFlowing === true && !input.readableEnded && !input.destroyed)
    throw new Error(`mooring ${args.join(' ')} has ended, and still reads standard input`);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs it in a child process. `signal` interrupts it like Ctrl-C. */
export async function mooringProcess(
  args: readonly string[],
  options: Omit<RunOptions, 'tty' | 'columns' | 'clock' | 'platform' | 'onStdout' | 'onStderr'> = {},
): Promise<Ran> {
  await using empty = await folder();
  const { PATH = '' } = process.env;
  const home = options.home ?? empty.path;
  const child = spawn(self.command, [...self.args, ...args], {
    cwd: options.cwd ?? process.cwd(),
    env: { PATH, HOME: home, NO_COLOR: '1', ...options.env },
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  options.signal?.addEventListener('abort', () => child.kill('SIGINT'), { once: true });
  child.stdin.end(options.stdin ?? '');
  const code = await new Promise<number>((done) => child.once('close', (exit) => done(exit ?? -1)));
  return { code, ...said };
}

/** A temporary folder that is removed on disposal. */
export async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'mooring-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
