/** A child process that serves stdio, through its raw pipes. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { eventually } from './children.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
export const servesArgs: readonly string[] = ['--import', 'tsx', 'test/fixtures/stdio/serves.ts'];

export interface Serving {
  readonly child: ChildProcessByStdio<Writable | null, Readable, Readable>;
  stdout(): string;
  stderr(): string;
  /** All lines so far, parsed. Throws if one is not JSON. */
  heard(): Record<string, unknown>[];
  send(...messages: readonly unknown[]): void;
  /** Sends a request and waits for the response with its id. */
  ask(id: string | number, method: string, params?: unknown): Promise<Record<string, unknown>>;
  /** The exit code or signal: `code 0`, `signal SIGKILL`. */
  exit(): Promise<string>;
}

export interface ServingOptions {
  /** Replaces the fixture. */
  readonly command?: readonly [string, ...string[]];
  /** A descriptor instead of a pipe. */
  readonly stdin?: number;
}

export function serving(args: readonly string[] = [], options: ServingOptions = {}): Serving {
  const [program, ...rest] = options.command ?? [process.execPath, ...servesArgs, ...args];
  // stdin is a pipe too, unless a descriptor was given
  const child = spawn(program, rest, {
    cwd: root,
    stdio: [options.stdin ?? 'pipe', 'pipe', 'pipe'],
  }) as Serving['child'];
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin?.on('error', () => undefined);
  const over = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  });
  const heard = (): Record<string, unknown>[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const send = (...messages: readonly unknown[]): void => {
    const text = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
    if (options.stdin === undefined) child.stdin?.write(text);
    else writeSync(options.stdin, text);
  };
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    heard,
    send,
    async ask(id, method, params = {}) {
      send({ jsonrpc: '2.0', id, method, params });
      const answered = (): Record<string, unknown> | undefined => heard().find((message) => message['id'] === id);
      await eventually(`an answer to ${method}; stderr: ${err}`, () => answered() !== undefined);
      return answered()?.['result'] as Record<string, unknown>;
    },
    exit: () => over,
  };
}
