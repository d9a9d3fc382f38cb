/** Load on a server in a child process, with raw HTTP requests. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/jsonrpc/message.ts';

/** Bundled, because a loader adds memory to every function. */
const program = fileURLToPath(new URL('../../.cache/fixtures/weighed.mjs', import.meta.url));

/** The fixture `harbour` in a child process. */
export class Harbourmaster implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(port = 0): Promise<Harbourmaster> {
    const child = fork(program, [String(port)], { execArgv: ['--expose-gc'] });
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]; // the first message
    return new Harbourmaster(child, url);
  }

  /** Heap bytes after garbage collection. */
  async heap(): Promise<number> {
    this.#child.send('heap');
    const [{ heapUsed }] = (await once(this.#child, 'message')) as [{ heapUsed: number }]; // its response
    return heapUsed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Sends requests over a few persistent connections. */
export class Callers implements Disposable {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(url: string, sockets = 64) {
    this.#url = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets });
  }

  /** Resolves with the whole response. */
  async post(message: JsonObject, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await this.open('POST', headers, JSON.stringify(message));
    let body = '';
    for await (const chunk of response.setEncoding('utf8')) body += chunk;
    return { status: response.statusCode ?? 0, headers: response.headers, body };
  }

  /** Resolves when the response begins. */
  open(method: string, headers: Readonly<Record<string, string>>, body?: string): Promise<IncomingMessage> {
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method, agent: this.#agent, headers: all }, resolve);
      sent.once('error', reject);
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** Runs a function for 0 to `total`, `width` at a time. */
export async function inParallel(total: number, width: number, run: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < total; at = next++) await run(at);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
