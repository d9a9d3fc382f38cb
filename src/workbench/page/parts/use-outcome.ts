/** Tracks an action that the user started: whether it runs, and its outcome. */
import { useState } from 'preact/hooks';
import type { Outcome } from '../../protocol-rows.ts';
import { announcement, sentenceOf } from '../store.ts';

/** Turns a failed request to the workbench into a failed outcome of the action. */
export const failedOutcome = (error: unknown, ref = ''): Outcome<never> => ({
  ref,
  ms: 0,
  waitedMs: 0,
  error: { message: sentenceOf(error) },
});

/** Announces to screen readers that an action ended; without the result, which can be long. */
export function announceOutcome(name: string, { error }: Outcome<unknown>, words = 'result received'): void {
  announcement.value = error === undefined ? `${name}: ${words}` : `${name} failed: ${error.message}`;
}

export interface OutcomeState<T> {
  readonly outcome: Outcome<T> | undefined;
  readonly isBusy: boolean;
  /** Tracks an action. `name` is announced with its outcome. */
  follow(name: string, running: Promise<Outcome<T>>): Promise<void>;
}

export function useOutcome<T>(): OutcomeState<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>();
  const [isBusy, setBusy] = useState(false);
  const follow = async (name: string, running: Promise<Outcome<T>>): Promise<void> => {
    setBusy(true);
    announcement.value = '';
    const next = await running.catch(failedOutcome);
    setOutcome(next);
    announceOutcome(name, next);
    setBusy(false);
  };
  return { outcome, isBusy, follow };
}
