/** A server with its sessions in Redis. The time of Redis is not counted. */
import { startRedis } from '../../test/stores/redis-server.ts';
import type { Entry } from '../contenders.ts';
import type { Subject } from '../subject.ts';
import { HttpSubject } from './http-subject.ts';

export class SharedSubject implements AsyncDisposable {
  readonly front: HttpSubject;
  readonly #stop: () => Promise<void>;

  constructor(front: HttpSubject, stop: () => Promise<void>) {
    this.front = front;
    this.#stop = stop;
  }

  static async start(entry: Entry): Promise<SharedSubject> {
    const redis = await startRedis();
    try {
      const servers = { redis: `${redis.port}`, client: entry.name };
      return new SharedSubject(await HttpSubject.start(entry, { servers }), redis.stop);
    } catch (error) {
      await redis.stop();
      throw error;
    }
  }

  get process(): Subject {
    return this.front.process;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.front[Symbol.asyncDispose]();
    await this.#stop();
  }
}
