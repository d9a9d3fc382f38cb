/** Sends the head of the hash chain to an external store, so that rewriting the whole audit log is detected. */
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import { withTimeout } from '../../peer/wait.ts';
import type { Checkpoint } from './hash-chain.ts';

/** How often the head is anchored: after `records` new records, or `seconds` after the first of them, whichever is first. */
export interface AnchorInterval {
  /** Default: 100. */
  readonly records?: number | undefined;
  /** Default: 60. */
  readonly seconds?: number | undefined;
}

/** Receives the head of the hash chain. Store it where the process that writes the audit log cannot change it. */
export type AuditAnchor = (head: Checkpoint) => void | Promise<void>;

/** An anchor that never responds would stop all later ones, and the closing of the audit. */
const ANCHOR_MS = 10_000;

export interface AnchoringOptions {
  readonly anchor: AuditAnchor;
  readonly every?: AnchorInterval | undefined;
  readonly clock: Clock;
  readonly warn: (warning: string) => void;
}

export class AnchorSchedule {
  readonly #options: AnchoringOptions;
  #head: Checkpoint | undefined;
  #unanchored = 0;
  #cancelTimer: (() => void) | undefined;
  #running: Promise<void> | undefined;

  constructor(options: AnchoringOptions) {
    this.#options = options;
  }

  /** Reports that the chain has grown. Does not wait for the anchor: an act counts as recorded once it is on disk. */
  advance(head: Checkpoint, records: number): void {
    const { every, clock } = this.#options;
    this.#head = head;
    this.#unanchored += records;
    if (this.#unanchored >= (every?.records ?? 100)) void this.flush();
    else this.#cancelTimer ??= clock.after((every?.seconds ?? 60) * 1_000, () => void this.flush(), { idle: true });
  }

  /** Anchors the newest head, if it is not anchored yet. Runs one at a time, so that heads arrive in order. */
  async flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#running !== undefined) await this.#running;
    const head = this.#head;
    if (head === undefined) return;
    this.#head = undefined;
    this.#unanchored = 0;
    this.#running = this.#anchor(head);
    await this.#running;
    this.#running = undefined;
  }

  async #anchor(head: Checkpoint): Promise<void> {
    const { anchor, clock } = this.#options;
    try {
      const anchored = Promise.resolve(anchor(head)).then(() => true);
      if ((await withTimeout(ANCHOR_MS, clock, anchored)) !== true)
        throw new Error(`no response within ${ANCHOR_MS / 1_000} s`);
    } catch (error) {
      this.#options.warn(`The audit could not be anchored at record ${head.n}: ${networkReason(error)}`);
      // The next anchor also covers this head. Without new records, closing retries it.
      this.#head ??= head;
    }
  }
}
