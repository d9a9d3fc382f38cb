/** A server over stdio in its own process, and a handwritten client that keeps a number of requests open. */
import type { Entry } from '../contenders.ts';
import type { Sample } from '../scenario.ts';
import { quantile } from '../stats.ts';
import { Subject } from '../subject.ts';
import { type Answer, type Call, initialize, initialized, request } from '../wire.ts';
import type { Setup } from '../work.ts';
import { onLines } from './lines.ts';

interface Pending {
  readonly began: number;
  readonly check: (answer: Answer) => void;
}

/** The next call, and the check of its answer. */
export interface Work {
  readonly call: Call;
  check(answer: Answer): void;
}

export class StdioSubject implements AsyncDisposable {
  readonly process: Subject;
  #answers: (answers: readonly Answer[]) => void = () => undefined;
  #id = 0;

  constructor(process: Subject) {
    this.process = process;
    onLines(process.stdout, (lines) => this.#answers(lines.map((line) => JSON.parse(line) as Answer))); // `check` of each call does
  }

  static async start(entry: Entry, setup: Partial<Setup> = {}): Promise<StdioSubject> {
    const subject = StdioSubject.spawn(entry, setup);
    try {
      await subject.process.ready;
      await subject.begin();
      return subject;
    } catch (error) {
      await subject[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts the program without waiting until it is ready. */
  static spawn(entry: Entry, setup: Partial<Setup> = {}): StdioSubject {
    const process = new Subject({
      program: `${entry.peer}/${entry.program ?? 'stdio'}`,
      setup: { ...entry.setup, ...setup },
    });
    return new StdioSubject(process);
  }

  async begin(): Promise<void> {
    const answered = new Promise<Answer | undefined>((resolve) => {
      this.#answers = ([answer]) => resolve(answer);
    });
    this.process.stdin.write(`${initialize}\n`);
    const answer = await answered;
    if (answer?.result === undefined) throw new Error(`The handshake failed: ${JSON.stringify(answer)}`);
    this.process.stdin.write(`${initialized}\n`);
  }

  async call(call: Call): Promise<Answer> {
    let response: Answer | undefined;
    await this.drive(0, 1, () => ({
      call,
      check: (answer) => {
        response = answer;
      },
    }));
    if (response?.result === undefined) throw new Error(`Wrong answer: ${JSON.stringify(response)}`);
    return response;
  }

  /** Processor time of the server per call, while `window` requests are open. */
  async measure(ms: number, window: number, next: () => Work): Promise<Sample> {
    const before = await this.process.usage();
    const began = performance.now();
    const latencies = await this.drive(began + ms, window, next);
    const took = performance.now() - began;
    const used = (await this.process.usage()) - before;
    return {
      cost: used / latencies.length,
      calls: latencies.length,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      rate: (latencies.length * 1_000) / took,
    };
  }

  /** Keeps `window` requests open until then, and returns the duration of each. */
  drive(until: number, window: number, next: () => Work): Promise<number[]> {
    const latencies: number[] = [];
    const pending = new Map<number, Pending>();
    const send = (total: number): void => {
      let lines = '';
      for (let at = 0; at < total; at++) {
        const { call, check } = next();
        const id = ++this.#id;
        pending.set(id, { began: performance.now(), check });
        lines += `${request(id, call, 'session')}\n`;
      }
      this.process.stdin.write(lines);
    };
    return new Promise((resolve, reject) => {
      const take = (answers: readonly Answer[]): void => {
        let done = 0;
        for (const answer of answers) {
          if (answer.method !== undefined) continue;
          const waiting = pending.get(answer.id as number); // the ids that we send are numbers
          if (waiting === undefined) throw new Error(`Nobody asked: ${JSON.stringify(answer).slice(0, 300)}`);
          pending.delete(answer.id as number); // as above
          waiting.check(answer);
          latencies.push(performance.now() - waiting.began);
          done++;
        }
        if (performance.now() < until) send(done);
        else if (pending.size === 0) resolve(latencies);
      };
      this.#answers = (answers) => {
        try {
          take(answers);
        } catch (error) {
          reject(error);
        }
      };
      void this.process.ended.then(reject);
      send(window);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}
