/** Callers that watch the list of tools, in both eras. */
import { type Client, connect } from '../../src/connect/index.ts';
import type { ChaosProcess } from './processes.ts';

const IN_TIME_MS = 10_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export class ChaosWatchers {
  readonly #url: string;
  readonly #upstreams: readonly ChaosProcess[];
  readonly #clients: Client[] = [];
  /** Notifications received, by watcher. */
  readonly #heard: number[] = [];
  readonly #names: string[] = [];
  /** Missed notifications: watcher and upstream. */
  readonly deaf: string[] = [];
  #changes = 0;
  #isOver = false;

  constructor(url: string, upstreams: readonly ChaosProcess[]) {
    this.#url = url;
    this.#upstreams = upstreams;
  }

  get counts(): { readonly changes: number; readonly missedChanges: readonly string[] } {
    return { changes: this.#changes, missedChanges: this.deaf };
  }

  async start(revisions: readonly string[]): Promise<void> {
    for (const revision of [...revisions, ...revisions]) {
      const client = await connect(this.#url, { revisions: [revision] });
      const index = this.#clients.push(client) - 1;
      this.#heard.push(0);
      this.#names.push(`watcher of ${revision}`);
      void this.#listen(client, index);
    }
    await this.check();
  }

  async #listen(client: Client, index: number): Promise<void> {
    while (!this.#isOver)
      try {
        // A server that shuts down ends the watch, so watch again.
        for await (const _ of client.watch({ tools: true })) this.#heard[index] = (this.#heard[index] ?? 0) + 1;
      } catch {
        await pause(100);
      }
  }

  /** Without disturbances: makes a change, and waits until all watchers have received it. */
  async check(): Promise<void> {
    for (const upstream of this.#upstreams) {
      const before = [...this.#heard];
      this.#changes++;
      upstream.send('change');
      const until = performance.now() + IN_TIME_MS;
      const deaf = (): number => this.#heard.filter((count, i) => count <= (before[i] ?? 0)).length;
      while (deaf() > 0 && performance.now() < until) await pause(50);
      for (const [i, count] of this.#heard.entries())
        if (count <= (before[i] ?? 0)) this.deaf.push(`${this.#names[i]}, of ${upstream.name}`);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients.map((client) => client.close().catch(() => undefined)));
  }
}
