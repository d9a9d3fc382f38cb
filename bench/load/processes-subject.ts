/** Several server processes that share sessions in Redis. The time of Redis is not counted. */
import { startRedis } from '../../test/stores/redis-server.ts';
import type { Entry } from '../contenders.ts';
import type { Sample } from '../scenario.ts';
import type { Subject } from '../subject.ts';
import type { HttpCaller } from './http-caller.ts';
import { HttpSubject, measureLoad } from './http-subject.ts';

/** One session, with a connection to each process. With one process, it has as many connections as with two. */
type Client = readonly HttpCaller[];

const CONNECTIONS_EACH = 2;

export class ProcessesSubject implements AsyncDisposable {
  readonly #fronts: readonly HttpSubject[];
  readonly #stop: () => Promise<void>;
  readonly #clients: Client[] = [];

  constructor(fronts: readonly HttpSubject[], stop: () => Promise<void>) {
    this.#fronts = fronts;
    this.#stop = stop;
  }

  static async start(entry: Entry, total: number): Promise<ProcessesSubject> {
    const redis = await startRedis();
    try {
      const servers = { redis: `${redis.port}`, client: 'ioredis' };
      const fronts = await Promise.all(Array.from({ length: total }, () => HttpSubject.start(entry, { servers })));
      return new ProcessesSubject(fronts, redis.stop);
    } catch (error) {
      await redis.stop();
      throw error;
    }
  }

  get process(): Subject {
    return this.#front(0).process;
  }

  /** Each client uses its connections in turn, so each process serves each session. The load per process is constant. */
  async measure(clientsEach: number, ms: number, call: (caller: HttpCaller) => Promise<void>): Promise<Sample> {
    while (this.#clients.length < clientsEach * this.#fronts.length) this.#clients.push(await this.#client());
    await Promise.all(this.#clients.flat().map((caller) => caller.connect()));
    const loops = this.#clients.map((callers) => async () => {
      for (const caller of callers) await call(caller);
    });
    const processes = this.#fronts.map((front) => front.process);
    return measureLoad(processes, ms, loops, CONNECTIONS_EACH);
  }

  async #client(): Promise<Client> {
    const callers = await Promise.all(Array.from({ length: CONNECTIONS_EACH }, (_, at) => this.#front(at).caller()));
    const session = await callers[0]?.begin();
    if (session === undefined) throw new Error('A client has connections');
    for (const caller of callers) caller.enter(session);
    return callers;
  }

  #front(at: number): HttpSubject {
    const front = this.#fronts[at % this.#fronts.length];
    if (front === undefined) throw new Error('There is at least one process');
    return front;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const caller of this.#clients.flat()) caller[Symbol.dispose]();
    for (const front of this.#fronts) await front[Symbol.asyncDispose]();
    await this.#stop();
  }
}
