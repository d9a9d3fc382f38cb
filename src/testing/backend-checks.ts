/** The contract of a backend as checks that any test runner can run: one for each thing that a backend must do. */
import { systemClock } from '../peer/clock.ts';
import type { Backend } from '../stores/backend.ts';
import { countChecks, logChecks, onceChecks } from './backend-checks/counting.ts';
import { keyedChecks } from './backend-checks/keyed.ts';
import { channelChecks } from './backend-checks/messages.ts';

/** One check; `run` rejects with what was expected and what came. */
export interface BackendCheck {
  readonly name: string;
  run(): Promise<void>;
}

/** Opens a handle on what is kept under a name: the same whenever it gets the same name, nothing at first. */
export type OpenBackend = (name: string) => Backend | Promise<Backend>;

/** Lets time pass for the backend. */
export type PassTime = (ms: number) => Promise<void>;

const waitFor: PassTime = (ms) => new Promise((resolve) => void systemClock.after(ms, resolve));

/**
 * Checks of everything that `Backend` promises: `for (const { name, run } of everyBackend(open)) test(name, run)`.
 * A backend with a clock of its own gets `pass`, which moves the clock; otherwise a check waits.
 */
export function everyBackend(open: OpenBackend, pass: PassTime = waitFor): readonly BackendCheck[] {
  const checks = { ...keyedChecks, ...onceChecks, ...countChecks, ...logChecks, ...channelChecks };
  return Object.entries(checks).map(([name, body]) => ({
    name,
    async run() {
      const place: string = crypto.randomUUID();
      await body({ one: await open(place), other: await open(place), elsewhere: await open(`${place}-2`), pass });
    },
  }));
}
