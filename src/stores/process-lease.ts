/** What a process holds, for as long as it lives: it says so every few seconds, and others see when it stops. */
import type { Clock } from '../peer/clock.ts';
import type { KeyedValues } from './backend.ts';

/** Between two signs of life, and how long one of them is good for. */
const BEAT_MS = 5_000;
const LIFE_MS = 15_000;
/** How long a process must be away before others believe it: a store that lost its newest writes hears of it with the next sign. */
const DOUBT_MS = 6_000;

export class ProcessLease {
  readonly #keyed: KeyedValues;
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #name: string = crypto.randomUUID();
  /** The moment up to which signs of life are wanted. */
  #until = 0;
  #beating: Promise<void> | undefined;

  /** `keepMs`: how long others can ask about what was claimed. */
  constructor(keyed: KeyedValues, clock: Clock, keepMs: number) {
    this.#keyed = keyed;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  async claim(key: string, value: string): Promise<void> {
    this.#until = this.#clock.now() + this.#keepMs;
    this.#beating ??= this.#beat();
    await this.#beating;
    await this.#keyed.put(key, JSON.stringify([this.#name, value]), { ttlMs: this.#keepMs });
  }

  /** The value that was claimed by a process that is not there any more; undefined while it can be. */
  async orphaned(key: string): Promise<string | undefined> {
    const claimed = await this.#keyed.get(key);
    if (claimed === undefined) return undefined;
    const [name = '', value] = JSON.parse(claimed.value) as string[]; // as `claim` wrote it
    if ((await this.#keyed.get(`p:${name}`)) !== undefined) return undefined;
    // By the time of the store: the clocks of processes differ.
    if ((await this.#keyed.get(`d:${name}`)) !== undefined)
      return (await this.#keyed.get(`w:${name}`)) === undefined ? value : undefined;
    await this.#keyed.put(`w:${name}`, '', { ttlMs: DOUBT_MS });
    await this.#keyed.put(`d:${name}`, '', { ttlMs: this.#keepMs });
    return undefined;
  }

  /** Never rejects: what fails is tried again. */
  async #beat(): Promise<void> {
    if (this.#clock.now() > this.#until) {
      this.#beating = undefined;
      return;
    }
    this.#clock.after(BEAT_MS, () => void this.#beat(), { idle: true });
    await this.#keyed.put(`p:${this.#name}`, '', { ttlMs: LIFE_MS }).catch(() => undefined);
  }
}
