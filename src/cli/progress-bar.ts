/** One line on standard error that is drawn again as work goes on, and gone when it is done. */
import { printable } from '../model/printable.ts';
import type { Shell } from './shell.ts';

export interface Report {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const WIDTH = 24;
/** Faster than this cannot be seen. */
const EVERY_MS = 50;

export class ProgressBar {
  readonly #shell: Shell;
  readonly #label: string;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawn = false;

  constructor(shell: Shell, label: string) {
    this.#shell = shell;
    this.#label = label;
  }

  update(report: Report): void {
    const { stderr, clock } = this.#shell;
    if (stderr.isTTY !== true || clock.now() - this.#drawnAt < EVERY_MS) return;
    this.#drawnAt = clock.now();
    this.#drawn = true;
    stderr.write(`\r\u001b[2K${this.#text(report).slice(0, (stderr.columns || 80) - 1)}`);
  }

  end(): void {
    if (this.#drawn) this.#shell.stderr.write('\r\u001b[2K');
    this.#drawn = false;
  }

  #text({ progress, total, message }: Report): string {
    const said = message === undefined ? '' : ` ${printable(message)}`;
    if (total === undefined || !(total > 0)) return `${this.#label} ${progress}${said}`;
    const share = Math.min(1, Math.max(0, progress / total));
    const filled = Math.round(share * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    return `${this.#label} ${bar} ${Math.round(share * 100)} %${said}`;
  }
}
