/** Reports warnings to the application: anomalies that are not failures, and deprecated features. */
import { cutText } from '../model/cut-text.ts';
import { printableIndented } from '../model/printable.ts';
import { callHook } from './call-hook.ts';

export type Feature = 'logging' | 'roots' | 'sampling';

/** A revision, as far as warnings need it. */
interface RevisionDeprecations {
  readonly id: string;
  readonly deprecated?: ReadonlySet<Feature>;
}

/** Maximum number of distinct warnings that `once` reports: a peer could cause new ones without end. */
const MAX_ONCE = 1_000;
/** Maximum number of characters of a warning. */
const MAX_LENGTH = 10_000;

export class Warnings {
  readonly #report: (warning: string) => void;
  readonly #reported: Set<string> = new Set();

  constructor(onWarning: ((warning: string) => void) | undefined) {
    this.#report = onWarning ?? emitWarning;
  }

  readonly warn = (warning: string): void => {
    // Escape control characters: warnings quote names and reasons from the peer, and listeners print them.
    callHook(() => this.#report(printableIndented(warning.slice(0, MAX_LENGTH))));
  };

  once(warning: string): void {
    const text = cutText(warning, MAX_LENGTH);
    if (this.#reported.has(text) || this.#reported.size >= MAX_ONCE) return;
    this.#reported.add(text);
    this.warn(text);
  }

  deprecated(feature: Feature, revision: RevisionDeprecations): void {
    if (revision.deprecated?.has(feature))
      this.once(`MCP revision ${revision.id} deprecates ${feature} (SEP-2577); a later one drops it`);
  }

  /** Runs a callback of the application, and reports its exception as a warning. */
  guard(what: string, run: () => unknown): void {
    callHook(run, (error) => this.warn(`${what} threw ${String(error)}`));
  }
}

function emitWarning(warning: string): void {
  if (typeof process === 'object' && typeof process.emitWarning === 'function') {
    process.emitWarning(warning, 'MooringWarning');
  } else console.warn(warning);
}
