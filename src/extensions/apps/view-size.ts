/** Sizes that a view reports: at most ten a second, and the last one counts. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ViewSize } from './bridge-types.ts';

const INTERVAL_MS = 100;
/** A view that says that it is larger is not. */
const MAX_PIXELS = 5_000;

export class SizeReports {
  readonly #clock: Clock;
  readonly #report: (size: ViewSize) => void;
  #reported: ViewSize = {};
  #latest: ViewSize | undefined;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, report: (size: ViewSize) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  /** A pixel more or less is a loop of a view that measures itself. */
  note({ width, height }: JsonObject): void {
    this.#latest = { ...pixels('width', width), ...pixels('height', height) };
    if (this.#stop === undefined) this.#flush();
  }

  stop(): void {
    this.#stop?.();
    this.#latest = undefined;
  }

  #flush(): void {
    this.#stop = undefined;
    const size = this.#latest;
    this.#latest = undefined;
    if (size === undefined || !differs(size, this.#reported)) return;
    this.#reported = { ...this.#reported, ...size };
    this.#stop = this.#clock.after(INTERVAL_MS, () => this.#flush(), { idle: true });
    this.#report(size);
  }
}

const differs = (size: ViewSize, before: ViewSize): boolean =>
  (['width', 'height'] as const).some((side) => {
    const [is, was] = [size[side], before[side]];
    return is !== undefined && (was === undefined || Math.abs(is - was) > 1);
  });

const pixels = (side: 'width' | 'height', value: unknown): ViewSize =>
  typeof value === 'number' && value >= 0 ? { [side]: Math.min(value, MAX_PIXELS) } : {};
