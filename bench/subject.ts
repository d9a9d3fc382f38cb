/** A contender in its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildReply } from './peers/under-test.ts';
import type { Setup } from './work.ts';

export interface Start {
  /** Such as `mooring/http`. */
  readonly program: string;
  readonly setup?: Partial<Setup>;
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const running = new Set<ChildProcess>();
const STDERR_LIMIT = 2_000;
const TIMEOUT_MS = 120_000;

/** Kills all processes that still run, when the run is interrupted. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

export const programAt = (name: string): string => fileURLToPath(new URL(`peers/${name}.mjs`, import.meta.url));

export class Subject implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly ready: Promise<unknown>;
  /** Resolves with the reason when the process ends. */
  readonly ended: Promise<Error>;
  #asked = 0;
  #stderr = '';

  constructor({ program, setup = {}, flags = [], environment = {} }: Start) {
    const env = { ...process.env, NODE_ENV: 'production', ...environment };
    const args = [...flags, programAt(program), JSON.stringify(setup)];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe', 'ipc'], env });
    running.add(this.#child);
    this.ready = this.#expect(0);
    // The caller of `start` awaits `ready`; until then a rejection must not count as unhandled.
    this.ready.catch(() => undefined);
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_LIMIT);
    });
    // Writers learn from `ended` that the process is gone.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.on('message', (reply: ChildReply) => this.#settle(reply));
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        running.delete(this.#child);
        const why = new Error(`${program} ended (${signal ?? code}): ${this.#stderr.trim()}`);
        for (const { reject } of this.#waiting.values()) reject(why);
        resolve(why);
      });
    });
  }

  static async start(start: Start): Promise<Subject> {
    const subject = new Subject(start);
    await subject.ready;
    return subject;
  }

  /** A subject can be more than one process; this is the measured one. */
  get process(): Subject {
    return this;
  }

  get stdin(): NonNullable<ChildProcess['stdin']> {
    if (this.#child.stdin === null) throw new Error('stdio is not a pipe');
    return this.#child.stdin;
  }
  get stdout(): NonNullable<ChildProcess['stdout']> {
    if (this.#child.stdout === null) throw new Error('stdio is not a pipe');
    return this.#child.stdout;
  }

  /** Sends a command and returns its answer. */
  ask<T>(what: string, about?: unknown): Promise<T> {
    const id = ++this.#asked;
    const reply = this.#expect(id);
    this.#child.send({ id, what, about });
    return reply as Promise<T>; // each command has one type of answer
  }

  /** Microseconds of processor time so far. */
  usage(): Promise<number> {
    return this.ask('usage');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  #expect(id: number): Promise<unknown> {
    const waiting = withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    const timer = setTimeout(() => waiting.reject(new Error(`No answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    return waiting.promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    });
  }

  #settle({ id, value, error }: ChildReply): void {
    const waiting = this.#waiting.get(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let settle: Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error('A promise runs its executor at once');
  return { promise, ...settle };
}
