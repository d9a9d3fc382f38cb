/** Leases with a heartbeat: a process claims keys, and others detect the claims of a process that has crashed. */
import type { Clock } from '../peer/clock.ts';
import type { KeyedValues } from './backend.ts';

/** Interval of the heartbeat, and the TTL of each. */
const HEARTBEAT_MS = 5_000;
const HEARTBEAT_TTL_MS = 15_000;
/** Grace period after a missing heartbeat. Longer than the interval, so that a live process whose last heartbeat was lost in a failover sends another. */
const GRACE_MS = 6_000;

/** Keys in the store, each with the name of a process: `p:` its heartbeat, `w:` the grace period, `d:` whether that has started. */
export class ProcessLease {
  readonly #keyed: KeyedValues;
  readonly #clock: Clock;
  readonly #keepMs: number;
  /** Identifies this process in the store. */
  readonly #name: string = crypto.randomUUID();
  /** When the last claim expires, and the heartbeat can stop. */
  #until = 0;
  #heartbeat: Promise<void> | undefined;

  /** `keepMs` is the TTL of a claim. */
  constructor(keyed: KeyedValues, clock: Clock, keepMs: number) {
    this.#keyed = keyed;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  async claim(key: string, value: string): Promise<void> {
    this.#until = this.#clock.now() + this.#keepMs;
    this.#heartbeat ??= this.#beat();
    await this.#heartbeat;
    await this.#keyed.put(key, JSON.stringify([this.#name, value]), { ttlMs: this.#keepMs });
  }

  /** The value of a claim whose process has crashed; undefined while the process can still be alive. Starts the grace period. */
  async orphaned(key: string): Promise<string | undefined> {
    const claimed = await this.#keyed.get(key);
    if (claimed === undefined) return undefined;
    const [name = '', value] = JSON.parse(claimed.value) as string[]; // as `claim` wrote it
    if ((await this.#keyed.get(`p:${name}`)) !== undefined) return undefined;
    // Measures the grace period by TTLs of the store, because the clocks of processes differ.
    if ((await this.#keyed.get(`d:${name}`)) !== undefined)
      return (await this.#keyed.get(`w:${name}`)) === undefined ? value : undefined;
    await this.#keyed.put(`w:${name}`, '', { ttlMs: GRACE_MS });
    await this.#keyed.put(`d:${name}`, '', { ttlMs: this.#keepMs });
    return undefined;
  }

  /** Sends a heartbeat, and schedules the next. Never rejects: a failed heartbeat is only repeated. */
  async #beat(): Promise<void> {
    if (this.#clock.now() > this.#until) {
      this.#heartbeat = undefined;
      return;
    }
    this.#clock.after(HEARTBEAT_MS, () => void this.#beat(), { idle: true });
    await this.#keyed.put(`p:${this.#name}`, '', { ttlMs: HEARTBEAT_TTL_MS }).catch(() => undefined);
  }
}
