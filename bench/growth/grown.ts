/** One server process per size, started when the size is first measured. */
import type { Entry } from '../contenders.ts';
import { HttpSubject } from '../load/http-subject.ts';
import type { Setup } from '../work.ts';

export class Grown implements AsyncDisposable {
  readonly #entry: Entry;
  readonly #setup: (size: number) => Partial<Setup>;
  readonly #subjects = new Map<number, HttpSubject>();

  constructor(entry: Entry, setup: (size: number) => Partial<Setup>) {
    this.#entry = entry;
    this.#setup = setup;
  }

  async at(size: number): Promise<HttpSubject> {
    const known = this.#subjects.get(size);
    if (known !== undefined) return known;
    const subject = await HttpSubject.start(this.#entry, this.#setup(size));
    this.#subjects.set(size, subject);
    return subject;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const subject of this.#subjects.values()) await subject[Symbol.asyncDispose]();
  }
}
