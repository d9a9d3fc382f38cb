/** Errors and warnings about a configuration file, with line and column. */
import type { JsoncNode } from '../../files/jsonc.ts';

/** An error prevents the gateway from starting; a warning explains the consequence of a setting. */
export interface FileFinding {
  readonly severity: 'error' | 'warning';
  /** One-based, as in editors. */
  readonly line: number;
  readonly column: number;
  /** Such as `upstreams.shop.url`. */
  readonly path: string;
  readonly message: string;
}

/** Collects the findings of one file, sorted by position. */
export class FileFindings {
  readonly #lineStarts: readonly number[];
  readonly #found: FileFinding[] = [];

  constructor(text: string) {
    this.#lineStarts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
  }

  error(at: Pick<JsoncNode, 'start'>, path: readonly string[], message: string): void {
    this.#add('error', at.start, path, message);
  }

  warning(at: Pick<JsoncNode, 'start'>, path: readonly string[], message: string): void {
    this.#add('warning', at.start, path, message);
  }

  get hasErrors(): boolean {
    return this.#found.some(({ severity }) => severity === 'error');
  }

  all(): readonly FileFinding[] {
    return this.#found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  #add(severity: FileFinding['severity'], offset: number, path: readonly string[], message: string): void {
    const after = this.#lineStarts.findIndex((start) => start > offset);
    const line = after === -1 ? this.#lineStarts.length : after;
    const column = offset - (this.#lineStarts[line - 1] ?? 0) + 1;
    this.#found.push({ severity, line, column, path: path.join('.'), message });
  }
}
