/** What came of something that the user asked for, and whether it is under way. */
import { useState } from 'preact/hooks';
import type { Outcome } from '../../protocol-rows.ts';
import { announcement, sentenceOf } from '../store.ts';

/** How a failure of the workbench itself is shown: as the failure of what was asked for. */
export const failedOutcome = (error: unknown, ref = ''): Outcome<never> => ({
  ref,
  ms: 0,
  waitedMs: 0,
  error: { message: sentenceOf(error) },
});

/** For screen readers: that there is a result, and of what; the result itself can be long. */
export function announceOutcome(name: string, { error }: Outcome<unknown>, words = 'result received'): void {
  announcement.value = error === undefined ? `${name}: ${words}` : `${name} failed: ${error.message}`;
}

export interface AskedOutcome<T> {
  readonly outcome: Outcome<T> | undefined;
  readonly isBusy: boolean;
  follow(name: string, asked: Promise<Outcome<T>>): Promise<void>;
}

export function useOutcome<T>(): AskedOutcome<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>();
  const [isBusy, setBusy] = useState(false);
  const follow = async (name: string, asked: Promise<Outcome<T>>): Promise<void> => {
    setBusy(true);
    announcement.value = '';
    const next = await asked.catch(failedOutcome);
    setOutcome(next);
    announceOutcome(name, next);
    setBusy(false);
  };
  return { outcome, isBusy, follow };
}
