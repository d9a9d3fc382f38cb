/** Something that the user asked for and that can fail: whether it is under way, and why it failed. */
import { useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../store.ts';

export interface Attempt {
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  /** Takes what came of it. */
  attempt<T>(asked: Promise<T>, take: (came: T) => void): Promise<void>;
}

interface AttemptState {
  readonly of: string;
  readonly isBusy: boolean;
  readonly failure?: string | undefined;
}

/** `of` is what it is about: what comes of it when the user has gone on to something else is dropped. */
export function useAttempt(of = ''): Attempt {
  const [state, setState] = useState<AttemptState>({ of, isBusy: false });
  const current = useRef(of);
  current.current = of;
  const attempt: Attempt['attempt'] = async (asked, take) => {
    setState({ of, isBusy: true });
    const failure = await asked.then((came) => void (current.current === of && take(came)), sentenceOf);
    if (current.current === of) setState({ of, isBusy: false, failure });
  };
  const { isBusy, failure } = state.of === of ? state : { isBusy: false, failure: undefined };
  return { isBusy, failure, attempt };
}
