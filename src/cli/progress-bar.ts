/** Progress bar or spinner: one line on stderr, redrawn in place and cleared at the end. Draws only on a terminal. */
import { printable } from '../model/printable.ts';
import { cut } from './columns.ts';
import { progressText, type Report, spinnerText } from './progress-text.ts';
import type { Shell } from './shell.ts';

/** Minimum time between two drawings. */
const EVERY_MS = 50;
/** Work that ends sooner shows no spinner. */
const DELAY_MS = 1_000;
const TICK_MS = 100;

export class ProgressBar {
  readonly #shell: Shell;
  readonly #label: string;
  readonly #onDraw: () => void;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isDrawn = false;
  /** Number of open questions; draws nothing meanwhile. */
  #pauses = 0;
  #stopTicking: (() => void) | undefined;
  #startedAt = 0;
  /** First report: the baseline of the rate. */
  #first: { readonly at: number; readonly progress: number } | undefined;
  #last: Report | undefined;

  /** `onDraw` is called before each drawing. */
  constructor(shell: Shell, label: string, onDraw: () => void) {
    this.#shell = shell;
    this.#label = printable(label);
    this.#onDraw = onDraw;
  }

  /** Starts periodic redraws, so that a spinner shows while nothing is reported. */
  begin(): void {
    const { stderr, clock } = this.#shell;
    if (stderr.isTTY !== true || this.#stopTicking !== undefined) return;
    this.#startedAt = clock.now();
    this.#tickIn(DELAY_MS);
  }

  update(report: Report): void {
    const { clock } = this.#shell;
    this.#first ??= { at: clock.now(), progress: report.progress };
    this.#last = report;
    if (clock.now() - this.#drawnAt >= EVERY_MS) this.#draw();
  }

  /** Erases the line before other output. The next update draws it again. */
  clear(): void {
    if (this.#isDrawn) this.#shell.stderr.write('\r\u001b[2K');
    this.#isDrawn = false;
  }

  async pauseDuring<T>(ask: () => Promise<T>): Promise<T> {
    this.clear();
    this.#pauses += 1;
    try {
      return await ask();
    } finally {
      this.#pauses -= 1;
    }
  }

  end(): void {
    this.#stopTicking?.();
    this.#stopTicking = undefined;
    this.clear();
  }

  #tickIn(ms: number): void {
    this.#stopTicking = this.#shell.clock.after(
      ms,
      () => {
        this.#draw();
        this.#tickIn(TICK_MS);
      },
      { idle: true },
    );
  }

  #draw(): void {
    const { stderr, clock } = this.#shell;
    if (stderr.isTTY !== true || this.#pauses > 0) return;
    const columns = stderr.columns || 80;
    this.#drawnAt = clock.now();
    this.#onDraw();
    this.#isDrawn = true;
    stderr.write(`\r\u001b[2K${cut(this.#text(columns - 1), columns - 1)}`);
  }

  #text(columns: number): string {
    const now = this.#shell.clock.now();
    const first = this.#first;
    if (this.#last === undefined || first === undefined) return spinnerText(this.#label, now - this.#startedAt);
    const seconds = (now - first.at) / 1000;
    const rate = seconds >= 1 ? (this.#last.progress - first.progress) / seconds : undefined;
    return progressText(this.#label, this.#last, columns, rate);
  }
}
