/** Warnings: what is odd but no failure, and what is deprecated. Each is reported once. */
import { cutText } from '../model/cut-text.ts';
import { printableIndented } from '../model/printable.ts';
import { callHook } from './call-hook.ts';

export type Feature = 'logging' | 'roots' | 'sampling';

/** The members of a revision that a warning needs. */
interface Dated {
  readonly id: string;
  readonly deprecated?: ReadonlySet<Feature>;
}

/** How many different warnings are reported: a peer could make up new ones without end. */
const MAX_ONCE = 1_000;
/** Characters of one warning. */
const MAX_LENGTH = 10_000;

export class Warnings {
  readonly #report: (warning: string) => void;
  readonly #reported: Set<string> = new Set();

  constructor(onWarning: ((warning: string) => void) | undefined) {
    this.#report = onWarning ?? emitWarning;
  }

  readonly warn = (warning: string): void => {
    // Names and reasons in it can come from the other side, and listeners print them.
    callHook(() => this.#report(printableIndented(warning.slice(0, MAX_LENGTH))));
  };

  once(warning: string): void {
    const kept = cutText(warning, MAX_LENGTH);
    if (this.#reported.has(kept) || this.#reported.size >= MAX_ONCE) return;
    this.#reported.add(kept);
    this.warn(kept);
  }

  deprecated(feature: Feature, revision: Dated): void {
    if (revision.deprecated?.has(feature))
      this.once(`MCP revision ${revision.id} deprecates ${feature} (SEP-2577); a later one drops it`);
  }

  /** Runs a function of the user; if it throws, that is a warning. */
  guard(what: string, run: () => unknown): void {
    callHook(run, (error) => this.warn(`${what} threw ${String(error)}`));
  }
}

function emitWarning(warning: string): void {
  if (typeof process === 'object' && typeof process.emitWarning === 'function') {
    process.emitWarning(warning, 'MooringWarning');
  } else console.warn(warning);
}
