/** A workbench over HTTP, and a test client that uses it as the page does. */
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { rules } from '../../src/host/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { replayRecording } from '../../src/testing/replay.ts';
import { type OpenWorkbenchOptions, openWorkbench } from '../../src/workbench/open-workbench.ts';
import type { VerbName, VerbParams, VerbResult } from '../../src/workbench/protocol.ts';
import type { EventName, WorkbenchEvents } from '../../src/workbench/protocol-events.ts';
import { isBlob, isPending } from '../../src/workbench/result-reference.ts';

export interface PageEvent {
  readonly id: number;
  readonly name: string;
  readonly params: JsonObject;
}

export class TestPage {
  readonly origin: string;
  readonly token: string;
  readonly events: PageEvent[] = [];
  readonly #control: AbortController = new AbortController();
  #waiting: (() => void)[] = [];

  constructor(origin: string, token: string) {
    this.origin = origin;
    this.token = token;
  }

  get headers(): Record<string, string> {
    return { Origin: this.origin, Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
  }

  /** The whole response, with any status. */
  async ask(
    method: string,
    params: object = {},
  ): Promise<{ result?: unknown; error?: { code: number; message: string } }> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(`${this.origin}/rpc`, { method: 'POST', headers: this.headers, body });
    const answer = (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
    if (!isPending(answer.result)) return this.#whole(answer);
    const { pending } = answer.result;
    const { params: answered } = await this.heard('answered', (one) => one.pending === pending);
    return this.#whole(answered as unknown as typeof answer);
  }

  async rpc<V extends VerbName>(verb: V, params: VerbParams<V>): Promise<VerbResult<V>> {
    const { result, error } = await this.ask(verb, params);
    if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
    return result as VerbResult<V>;
  }

  async #whole<T extends { result?: unknown }>(answer: T): Promise<T> {
    if (!isBlob(answer.result)) return answer;
    const response = await fetch(`${this.origin}/blob/${answer.result.blob}`, { headers: this.headers });
    return { ...answer, result: await response.json() };
  }

  listen(since?: number): this {
    void this.#read(since).catch(() => undefined);
    return this;
  }

  /** The first matching event, past or future. */
  async heard<E extends EventName>(
    name: E,
    matches: (params: WorkbenchEvents[E]) => boolean = () => true,
  ): Promise<{ readonly params: WorkbenchEvents[E] }> {
    for (;;) {
      const found = this.events.find(
        (one) => one.name === name && matches(one.params as unknown as WorkbenchEvents[E]),
      );
      if (found !== undefined) return { params: found.params as unknown as WorkbenchEvents[E] };
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  close(): void {
    this.#control.abort();
  }

  async #read(since: number | undefined): Promise<void> {
    const query = since === undefined ? '' : `?since=${since}`;
    const { signal } = this.#control;
    const response = await fetch(`${this.origin}/events${query}`, { headers: this.headers, signal });
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? new ReadableStream<Uint8Array>()) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#hear(block);
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }

  #hear(block: string): void {
    const [, id] = /^id: (\d+)$/m.exec(block) ?? [];
    const [, data] = /^data: (.*)$/m.exec(block) ?? [];
    if (data === undefined) return;
    const { method, params } = JSON.parse(data) as { method: string; params: JsonObject };
    this.events.push({ id: Number(id), name: method, params });
  }
}

export interface TestWorkbench extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  readonly notes: string[];
  readonly page: TestPage;
  readonly bench: Awaited<ReturnType<typeof openWorkbench>>['bench'];
  invite(): string;
  /** Opens another page. */
  open(): Promise<TestPage>;
}

/** Allows all acts by default. */
export async function openTestWorkbench(given: Partial<OpenWorkbenchOptions> = {}): Promise<TestWorkbench> {
  const notes: string[] = [];
  const opened = await openWorkbench({
    servers: {},
    connect: Object.keys(given.servers ?? {}),
    host: { health: false, apps: true, skills: true, tasks: true },
    policy: [rules.allow({})],
    policyName: 'test',
    principal: 'ada',
    port: 0,
    address: '127.0.0.1',
    cwd: tmpdir(),
    folder: pathToFileURL('test/support/workbench-page/'),
    runTyped: (_, run) => run(),
    note: (text) => void notes.push(text),
    confirmCommand: async () => false,
    confirmReveal: async () => false,
    examine: async () => [],
    lint: () => [],
    replay: replayRecording,
    ...given,
  });
  const open = async (): Promise<TestPage> =>
    new TestPage(opened.origin, await startPage(opened.origin, opened.invite()));
  const page = (await open()).listen(0);
  return {
    ...{ origin: opened.origin, url: opened.invite(), notes, page, bench: opened.bench, open },
    invite: () => opened.invite(),
    async [Symbol.asyncDispose]() {
      page.close();
      await opened.close('the test is over');
    },
  };
}

/** Exchanges the token in the URL, as the page does. */
export async function startPage(origin: string, url: string): Promise<string> {
  const body = JSON.stringify({ token: tokenIn(url) });
  const headers = { Origin: origin, 'Content-Type': 'application/json' };
  const response = await fetch(`${origin}/start`, { method: 'POST', headers, body });
  return ((await response.json()) as { token: string }).token;
}

export const tokenIn = (url: string): string => new URL(url).hash.replace('#t=', '');
