/** What is odd but no failure, and what will stop working one day. Each is said once. */

export type Feature = 'logging' | 'roots' | 'sampling';

/** As much of a revision as a warning is about. */
interface Dated {
  readonly id: string;
  readonly deprecated?: ReadonlySet<Feature>;
}

export class Warnings {
  readonly #say: (warning: string) => void;
  readonly #said: Set<string> = new Set();

  constructor(onWarning: ((warning: string) => void) | undefined) {
    this.#say = onWarning ?? emitWarning;
  }

  readonly warn = (warning: string): void => {
    try {
      this.#say(warning);
    } catch {
      // Whoever listens to warnings must not be able to break what is being warned about.
    }
  };

  once(warning: string): void {
    if (this.#said.has(warning)) return;
    this.#said.add(warning);
    this.warn(warning);
  }

  deprecated(feature: Feature, revision: Dated): void {
    if (revision.deprecated?.has(feature) !== true) return;
    this.once(`MCP revision ${revision.id} deprecates ${feature} (SEP-2577); it will go with a later revision`);
  }

  /** Runs a function of the user's, whose failure is none of ours. */
  guard(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.warn(`${what} threw ${String(error)}`);
    }
  }
}

function emitWarning(warning: string): void {
  if (typeof process === 'object' && typeof process.emitWarning === 'function') {
    process.emitWarning(warning, 'MooringWarning');
  } else console.warn(warning);
}
