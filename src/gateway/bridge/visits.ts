/** Pages that users are visiting, until their upstream says that a visit is over. */
import type { Clock } from '../../peer/clock.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { untilAborted, withTimeout } from '../../peer/wait.ts';

/** How long the call waits for the end of the visits, and where this node will not be told of it. */
const VISIT_MS = 50_000;
const UNTOLD_VISIT_MS = 5_000;
/** Visits that are remembered; the oldest are forgotten first. */
const MAX_VISITS = 1_000;

interface PendingVisit {
  isOver: boolean;
  /** Several requests can wait for the same visit. */
  readonly listeners: (() => void)[];
}

/** Visits of this node, by label and the upstream's id. */
export class Visits {
  readonly #clock: Clock;
  readonly #pending: Map<string, PendingVisit> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The upstream will say when the visit is over, or never. */
  expect(label: string, id: string, listener?: () => void): void {
    setNewest(this.#pending, visitKey(label, id), { isOver: false, listeners: listener ? [listener] : [] }, MAX_VISITS);
  }

  complete(label: string, id: string): void {
    const visit = this.#pending.get(visitKey(label, id));
    if (visit === undefined || visit.isOver) return;
    visit.isOver = true;
    for (const listener of visit.listeners) listener();
  }

  forget(label: string, id: string): void {
    this.#pending.delete(visitKey(label, id));
  }

  /** Resolves when all of these are over, or when it is no use to wait any longer. */
  async over(label: string, ids: readonly string[], signal: AbortSignal): Promise<void> {
    const visits = ids.map((id) => this.#pending.get(visitKey(label, id)));
    const isTold = visits.every((visit) => visit !== undefined);
    const over = new Promise<void>((resolve) => {
      const check = (): void => {
        if (visits.every((visit) => visit?.isOver === true)) resolve();
      };
      for (const visit of visits) visit?.listeners.push(check);
      check();
    });
    const ms = isTold ? VISIT_MS : UNTOLD_VISIT_MS;
    await withTimeout(ms, this.#clock, untilAborted(over, signal)).catch(() => undefined);
    for (const id of ids) this.forget(label, id);
  }
}

/** An id that is not that of a visit for another upstream. */
export const visitKey = (label: string, id: string): string => `${label} ${id}`;
