/** The command line, run in this process by a shell that tests can look into; and in a process of its own. */
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
  /** What is typed. With `tty`, each line is an answer to a question. */
  readonly stdin?: string;
  /** A person sits there. */
  readonly tty?: boolean;
  /** How wide the terminal is; 120 if it is not said. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Another system than Linux. */
  readonly platform?: string;
  /** Told what is printed, while it is being printed; for commands that go on. */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

/** Made of the source before the tests: one file loads in half the time of hundreds. */
export const main: string = resolve('.cache/fixtures/cli/main.mjs');
/** Commands of our own are started from it, and load modules in TypeScript. */
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

/** Longer than the terminal's consent takes for too soon. */
const READING_MS = 350;

/** A user who types the next line whenever one is waited for, and leaves when there is no other. */
function typeInto(input: PassThrough, output: Collected, text: string): void {
  const lines = text.split('\n');
  // What stands behind the last line break is no line.
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
      // Consent that comes sooner than it can be read does not count.
      const isConsent = stripVTControlCharacters(output.text).endsWith('[?] explain: ');
      if (isConsent) setTimeout(type, READING_MS);
      else type();
    });
}

/** Runs it in this process. Without `home`, an empty one. */
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
    // Members stay as they are: a test may have a variable that changes.
    env: Object.defineProperties({ NO_COLOR: '1' }, Object.getOwnPropertyDescriptors(env)),
    cwd,
    home: options.home ?? empty.path,
    platform: options.platform ?? 'linux',
    signal: options.signal ?? new AbortController().signal,
    clock,
    self,
  };
  const code = await runCommandLine(args, shell);
  // A process that still reads its terminal does not end.
  if (tty && input.readableFlowing === true && !input.readableEnded && !input.destroyed)
    throw new Error(`mooring ${args.join(' ')} has ended, and still reads standard input`);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs it in a process of its own. `signal` ends it as Ctrl-C does. */
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

/** A folder of its own, gone when it is no longer needed. */
export async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'mooring-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
