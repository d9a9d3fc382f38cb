/** A gateway or proxy in one process and the upstream server in another. The upstream's time is not counted. */
import type { Entry } from '../contenders.ts';
import { programAt, Subject } from '../subject.ts';
import type { Setup } from '../work.ts';
import { HttpSubject } from './http-subject.ts';
import { issueToken } from './issuer.ts';

export class GatewaySubject implements AsyncDisposable {
  readonly front: HttpSubject;
  readonly #behind: Subject;

  constructor(front: HttpSubject, behind: Subject) {
    this.front = front;
    this.#behind = behind;
  }

  static async start(entry: Entry, setup: Partial<Setup> = {}): Promise<GatewaySubject> {
    const behind = new Subject({ program: 'mooring/http', setup });
    try {
      const upstream = String(await behind.ready);
      const servers = {
        upstream,
        stdio: programAt('mooring/stdio'),
        ...(entry.isVerifying === true ? await issueToken() : {}),
      };
      return new GatewaySubject(await HttpSubject.start(entry, { ...setup, servers }), behind);
    } catch (error) {
      await behind[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The process that is measured. */
  get process(): Subject {
    return this.front.process;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.front[Symbol.asyncDispose]();
    await this.#behind[Symbol.asyncDispose]();
  }
}
