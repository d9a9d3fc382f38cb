/** `everyBackend`: the contract of `Backend` as a list of checks for any test runner. */
import { systemClock } from '../peer/clock.ts';
import type { Backend } from '../stores/backend.ts';
import { countChecks, logChecks, onceChecks } from './backend-checks/counting.ts';
import { keyedChecks } from './backend-checks/keyed.ts';
import { channelChecks } from './backend-checks/messages.ts';

/** One check. `run` rejects with the expected and the actual value. */
export interface BackendCheck {
  readonly name: string;
  run(): Promise<void>;
}

/** Opens a handle on the data of a name. Handles of the same name share their data, which is empty at first. */
export type OpenBackend = (name: string) => Backend | Promise<Backend>;

/** Lets time pass for the backend, for example by moving its clock. */
export type PassTime = (ms: number) => Promise<void>;

const waitFor: PassTime = (ms) => new Promise((resolve) => void systemClock.after(ms, resolve));

/**
 * Checks the contract of `Backend`: `for (const { name, run } of everyBackend(open)) test(name, run)`. For a backend with a virtual
 * clock, `pass` moves the clock. By default, checks wait in real time.
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
