/** Hands the head of an audit to a place outside the machine, so that even its owner cannot rewrite the past unnoticed. */
import { networkReason } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Checkpoint } from './hash-chain.ts';

/** When the head of the audit is anchored: after so many records, or so many seconds after the first that is not, whichever is first. */
export interface AnchorInterval {
  /** Default 100. */
  readonly records?: number | undefined;
  /** Default 60. */
  readonly seconds?: number | undefined;
}

/** Receives the head of an audit, to keep it where the process that writes the audit cannot change it. */
export type AuditAnchor = (head: Checkpoint) => void | Promise<void>;

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

  /** The chain has grown. Nothing waits for the anchor: an act is recorded when it is on disk. */
  advance(head: Checkpoint, records: number): void {
    const { every, clock } = this.#options;
    this.#head = head;
    this.#unanchored += records;
    if (this.#unanchored >= (every?.records ?? 100)) void this.flush();
    else this.#cancelTimer ??= clock.after((every?.seconds ?? 60) * 1_000, () => void this.flush(), { idle: true });
  }

  /** Anchors what is not anchored yet. One at a time, so that heads arrive in order. */
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
    try {
      await this.#options.anchor(head);
    } catch (error) {
      this.#options.warn(`The audit could not be anchored at record ${head.n}: ${networkReason(error)}`);
      // The next anchor covers it too, unless nothing follows: then closing tries once more.
      this.#head ??= head;
    }
  }
}
