/** Throttles size reports of a view to ten a second; the last size is always reported. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ViewSize } from './bridge-types.ts';

const INTERVAL_MS = 100;
/** Larger sizes are reduced to this. */
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

  /** Reports a new size. Ignores changes of one pixel, which cause a resize loop in views that measure themselves. */
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
    if (size === undefined || !hasChanged(size, this.#reported)) return;
    this.#reported = { ...this.#reported, ...size };
    this.#stop = this.#clock.after(INTERVAL_MS, () => this.#flush(), { idle: true });
    this.#report(size);
  }
}

const hasChanged = (size: ViewSize, before: ViewSize): boolean =>
  (['width', 'height'] as const).some((side) => {
    const [is, was] = [size[side], before[side]];
    return is !== undefined && (was === undefined || Math.abs(is - was) > 1);
  });

const pixels = (side: 'width' | 'height', value: unknown): ViewSize =>
  typeof value === 'number' && value >= 0 ? { [side]: Math.min(value, MAX_PIXELS) } : {};
