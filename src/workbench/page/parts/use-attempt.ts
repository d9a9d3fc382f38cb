/** Something that the user asked for and that can fail: whether it is under way, and why it failed. */
import { useState } from 'preact/hooks';
import { sentenceOf } from '../store.ts';

export interface Attempt {
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  /** Takes what came of it. */
  attempt<T>(asked: Promise<T>, take: (came: T) => void): Promise<void>;
}

export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const attempt: Attempt['attempt'] = async (asked, take) => {
    setBusy(true);
    setFailure(undefined);
    await asked.then(take, (error: unknown) => setFailure(sentenceOf(error)));
    setBusy(false);
  };
  return { isBusy, failure, attempt };
}
