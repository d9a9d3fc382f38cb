/** A server over HTTP in its own process, and any number of callers. */
import type { Entry } from '../contenders.ts';
import type { Sample } from '../scenario.ts';
import { quantile } from '../stats.ts';
import { Subject } from '../subject.ts';
import type { Setup } from '../work.ts';
import { closedLoop } from './closed-loop.ts';
import { HttpCaller } from './http-caller.ts';

export class HttpSubject implements AsyncDisposable {
  readonly process: Subject;
  readonly #url: string;
  readonly #entry: Entry;
  readonly #token: string | undefined;
  readonly #callers: HttpCaller[] = [];

  constructor(process: Subject, url: string, entry: Entry, token?: string) {
    this.process = process;
    this.#url = url;
    this.#entry = entry;
    this.#token = token;
  }

  static async start(entry: Entry, setup: Partial<Setup> = {}, flags: readonly string[] = []): Promise<HttpSubject> {
    const process = new Subject({
      program: `${entry.peer}/${entry.program ?? 'http'}`,
      setup: { ...entry.setup, ...setup },
      flags,
    });
    try {
      return new HttpSubject(process, String(await process.ready), entry, setup.servers?.['token']);
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Opens another client with its own connection and, if the server has sessions, its own session. */
  caller(): Promise<HttpCaller> {
    const { setup, jsonByAccept, oldWire = false } = this.#entry;
    const accept = jsonByAccept === true ? { accept: 'application/json' } : {};
    return HttpCaller.open(this.#url, { era: setup?.era ?? 'session', oldWire, token: this.#token, ...accept });
  }

  /** Returns `total` clients, and reuses those that are open. */
  async callers(total: number): Promise<readonly HttpCaller[]> {
    // In parallel: one peer takes a second for each handshake.
    const missing = Array.from({ length: Math.max(0, total - this.#callers.length) }, () => this.caller());
    this.#callers.push(...(await Promise.all(missing)));
    const wanted = this.#callers.slice(0, total);
    await Promise.all(wanted.map((caller) => caller.connect()));
    return wanted;
  }

  async first(): Promise<HttpCaller> {
    const [caller] = await this.callers(1);
    if (caller === undefined) throw new Error('One caller was asked for');
    return caller;
  }

  /** Processor time of the server per call, while all loops run. */
  measure(ms: number, loops: readonly (() => Promise<void>)[], perLoop = 1): Promise<Sample> {
    return measureLoad([this.process], ms, loops, perLoop);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const caller of this.#callers) caller[Symbol.dispose]();
    await this.process[Symbol.asyncDispose]();
  }
}

/** Processor time of all these processes per call. */
export async function measureLoad(
  processes: readonly Subject[],
  ms: number,
  loops: readonly (() => Promise<void>)[],
  perLoop = 1,
): Promise<Sample> {
  const used = async (): Promise<number> => {
    const times = await Promise.all(processes.map((process) => process.usage()));
    return times.reduce((sum, time) => sum + time, 0);
  };
  const before = await used();
  const load = await closedLoop(loops, ms);
  return {
    cost: ((await used()) - before) / (load.calls * perLoop),
    calls: load.calls,
    p50: quantile(load.latencies, 0.5),
    p99: quantile(load.latencies, 0.99),
    rate: (load.calls * 1_000) / load.ms,
  };
}
