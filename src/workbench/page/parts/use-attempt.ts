/** Tracks a request that the user started: whether it runs, and why it failed. */
import { useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../store.ts';

export interface Attempt {
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  /** Tracks the request, and passes its result to `take`. */
  attempt<T>(request: Promise<T>, take: (result: T) => void): Promise<void>;
}

interface AttemptState {
  readonly of: string;
  readonly isBusy: boolean;
  readonly failure?: string | undefined;
}

/** `of` is the subject of the request. If it changes before the request ends, the outcome is dropped. */
export function useAttempt(of = ''): Attempt {
  const [state, setState] = useState<AttemptState>({ of, isBusy: false });
  const current = useRef(of);
  current.current = of;
  const attempt: Attempt['attempt'] = async (request, take) => {
    setState({ of, isBusy: true });
    const failure = await request.then((result) => void (current.current === of && take(result)), sentenceOf);
    if (current.current === of) setState({ of, isBusy: false, failure });
  };
  const { isBusy, failure } = state.of === of ? state : { isBusy: false, failure: undefined };
  return { isBusy, failure, attempt };
}
