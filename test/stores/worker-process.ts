/** A worker process, and a minimal client: JSON lines in either era. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { newerNode } from './newer-node.ts';

export type Form = 'handle' | 'augmented';

export interface TaskView {
  readonly status: string;
  readonly inputRequests?: Record<string, unknown>;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}

type Json = Record<string, unknown>;
const accept = { action: 'accept', content: { confirm: true } };
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};
/** Long, because a machine can be busy. */
const ANSWER_MS = 60_000;
/** A server allows ten polls of a task per second. */
export const POLL_MS = 120;

export const textOf = ({ result, error, status }: TaskView): string =>
  result?.content[0]?.text ?? error?.message ?? status;
export const isEnded = ({ status }: TaskView): boolean => ['completed', 'failed', 'cancelled'].includes(status);

export class WorkerProcess {
  isDead = false;
  answersQuestions = true;
  /** Questions that the server sent as requests. */
  readonly relayed: Json[] = [];
  readonly exited: Promise<string | null>;
  readonly child: ChildProcess;
  readonly #form: Form;
  readonly #pending: Map<number, { resolve(value: never): void; reject(error: Error): void }> = new Map();
  #id = 0;

  constructor(bundle: string, env: NodeJS.ProcessEnv, form: Form) {
    this.#form = form;
    const options = {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'] as ['pipe', 'pipe', 'inherit'],
    };
    const child = spawn(newerNode(), ['--disable-warning=ExperimentalWarning', bundle], options);
    this.child = child;
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => this.#read(JSON.parse(line) as Json));
    this.exited = new Promise((resolve) => {
      child.on('exit', (_code, signal) => {
        this.isDead = true;
        for (const { reject } of this.#pending.values()) reject(new Error(`The process was ended by ${signal}`));
        resolve(signal);
      });
    });
  }

  #read(message: Json): void {
    if (typeof message['method'] === 'string') {
      if (message['id'] === undefined) return;
      this.relayed.push(message);
      if (this.answersQuestions) this.#write({ jsonrpc: '2.0', id: message['id'], result: accept });
      return;
    }
    const pending = this.#pending.get(Number(message['id']));
    this.#pending.delete(Number(message['id']));
    const error = message['error'] as { message: string } | undefined;
    if (error === undefined) pending?.resolve(message['result'] as never);
    else pending?.reject(Object.assign(new Error(error.message), { isAnswer: true }));
  }

  #write(message: Json): void {
    if (!this.isDead) this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  async request<T>(method: string, params: Json = {}): Promise<T> {
    if (this.isDead) throw new Error('The process is dead');
    const id = ++this.#id;
    const answered = new Promise<T>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#write({ jsonrpc: '2.0', id, method, params: this.#form === 'handle' ? { ...params, _meta: meta } : params });
    const late = sleep(ANSWER_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${method} was not answered in ${ANSWER_MS} ms`);
    });
    return Promise.race([answered, late]);
  }

  async open(): Promise<this> {
    if (this.#form === 'handle') return this;
    const clientInfo = { name: 'test', version: '1' };
    const hello = { protocolVersion: '2025-11-25', clientInfo, capabilities: { elicitation: {} } };
    await this.request('initialize', hello);
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return this;
  }

  async start(name: string): Promise<string> {
    const isHandle = this.#form === 'handle';
    const params = { name, arguments: {}, ...(isHandle ? {} : { task: {} }) };
    const made = await this.request<{ taskId: string; task: { taskId: string } }>('tools/call', params);
    return isHandle ? made.taskId : made.task.taskId;
  }

  get(taskId: string): Promise<TaskView> {
    return this.request('tasks/get', { taskId });
  }

  async answer(taskId: string, keys: readonly string[]): Promise<void> {
    await this.request('tasks/update', {
      taskId,
      inputResponses: Object.fromEntries(keys.map((key) => [key, accept])),
    });
  }

  async until(taskId: string, holds: (view: TaskView) => boolean): Promise<TaskView> {
    for (const end = performance.now() + ANSWER_MS; performance.now() < end; await sleep(POLL_MS)) {
      const view = await this.get(taskId);
      if (holds(view)) return view;
    }
    throw new Error(`The task did not get there in ${ANSWER_MS} ms`);
  }

  /** Answers questions until the end. `asked` gets a key for each question that the user is shown. */
  async finish(taskId: string, asked: string[]): Promise<string> {
    if (this.#form === 'augmented') {
      try {
        return textOf({ status: '', result: await this.request('tasks/result', { taskId }) });
      } catch (thrown) {
        if (thrown instanceof Error && 'isAnswer' in thrown) return thrown.message;
        throw thrown;
      } finally {
        asked.push(...this.relayed.map(() => 'go'));
      }
    }
    for (;;) {
      const view = await this.until(taskId, (one) => one.status === 'input_required' || isEnded(one));
      if (view.status !== 'input_required') return textOf(view);
      const keys = Object.keys(view.inputRequests ?? {});
      // A client recognizes a question by its key, and shows it once.
      asked.push(...keys.filter((key) => !asked.includes(key)));
      await this.answer(taskId, keys);
    }
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (!this.isDead) this.child.kill(name);
  }

  async kill(): Promise<void> {
    if (!this.isDead) this.child.kill('SIGKILL');
    await this.exited;
  }
}

export interface Deed {
  readonly name: string;
  readonly idempotencyKey: string;
  readonly fence: number;
}
export interface Write {
  readonly name: 'put';
  readonly id: string;
  readonly version: number;
  readonly steps: readonly (readonly [string, unknown])[];
  readonly outcome?: unknown;
}

export const linesIn = (file: string): (Deed | Write)[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Deed | Write)
    : [];
