/** What came of something that the user asked for, and whether it is under way. */
import { useState } from 'preact/hooks';
import type { Outcome } from '../../protocol-rows.ts';
import { sentenceOf } from '../store.ts';

/** How a failure of the workbench itself is shown: as the failure of what was asked for. */
export const failedOutcome = (error: unknown, ref = ''): Outcome<never> => ({
  ref,
  ms: 0,
  waitedMs: 0,
  error: { message: sentenceOf(error) },
});

export interface AskedOutcome<T> {
  readonly outcome: Outcome<T> | undefined;
  readonly isBusy: boolean;
  follow(asked: Promise<Outcome<T>>): Promise<void>;
}

export function useOutcome<T>(): AskedOutcome<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>();
  const [isBusy, setBusy] = useState(false);
  const follow = async (asked: Promise<Outcome<T>>): Promise<void> => {
    setBusy(true);
    setOutcome(await asked.catch(failedOutcome));
    setBusy(false);
  };
  return { outcome, isBusy, follow };
}
