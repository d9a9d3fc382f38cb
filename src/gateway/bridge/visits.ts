/** Tracks pages that users are visiting until the upstream sends `notifications/elicitation/complete`. */
import type { Clock } from '../../peer/clock.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { untilAborted, withTimeout } from '../../peer/wait.ts';

/** How long a retry waits for the visits to complete; shorter if this node did not start them, since it gets no notification. */
const VISIT_MS = 50_000;
const UNNOTIFIED_VISIT_MS = 5_000;
/** Beyond this, the oldest visits are evicted. */
const MAX_VISITS = 1_000;

interface PendingVisit {
  isComplete: boolean;
  /** Several requests can wait for the same visit. */
  readonly listeners: (() => void)[];
}

export class Visits {
  readonly #clock: Clock;
  readonly #pending: Map<string, PendingVisit> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts to track a visit. `listener` is called when the upstream reports its end, if it ever does. */
  expect(label: string, id: string, listener?: () => void): void {
    setNewest(
      this.#pending,
      visitKey(label, id),
      { isComplete: false, listeners: listener ? [listener] : [] },
      MAX_VISITS,
    );
  }

  complete(label: string, id: string): void {
    const visit = this.#pending.get(visitKey(label, id));
    if (visit === undefined || visit.isComplete) return;
    visit.isComplete = true;
    for (const listener of visit.listeners) listener();
  }

  forget(label: string, id: string): void {
    this.#pending.delete(visitKey(label, id));
  }

  /** Resolves when all visits are complete, after a timeout, or when the caller cancels. */
  async untilComplete(label: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    const visits = ids.map((id) => this.#pending.get(visitKey(label, id)));
    const isNotified = visits.every((visit) => visit !== undefined);
    const complete = new Promise<void>((resolve) => {
      const check = (): void => {
        if (visits.every((visit) => visit?.isComplete === true)) resolve();
      };
      for (const visit of visits) visit?.listeners.push(check);
      check();
    });
    const ms = isNotified ? VISIT_MS : UNNOTIFIED_VISIT_MS;
    await withTimeout(ms, this.#clock, untilAborted(complete, signal)).catch(() => undefined);
    for (const id of ids) this.forget(label, id);
  }
}

/** The label makes the id unique across upstreams. */
export const visitKey = (label: string, id: string): string => `${label} ${id}`;
