/** Calls a verb on mount, and again when its params, `epoch` or one of `changes` change. Results of outdated calls are dropped. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { systemClock } from '../../../peer/clock.ts';
import type { VerbName, VerbParams, VerbResult } from '../../protocol.ts';
import { callVerb, epoch, sentenceOf } from '../store.ts';

/** Debounces `changes` to ten calls a second: the process accepts 200 requests a second from all pages. */
const CHANGE_MS = 100;

export interface VerbState<T> {
  readonly result?: T | undefined;
  readonly failure?: string | undefined;
  reload(): void;
}

export function useVerb<V extends VerbName>(
  verb: V,
  params: VerbParams<V>,
  ...changes: readonly unknown[]
): VerbState<VerbResult<V>> {
  const [state, setState] = useState<Omit<VerbState<VerbResult<V>>, 'reload'>>({});
  const [run, setRun] = useState(0);
  const reload = (): void => setRun((times) => times + 1);
  const seen = useRef(changes);
  const running = useRef(Promise.resolve());
  const cancelReload = useRef<(() => void) | undefined>(undefined);
  useEffect(() => {
    if (changes.every((change, at) => change === seen.current[at])) return;
    seen.current = changes;
    // Waits for a call in progress: calls must not pile up, and the result must not be outdated before it arrives.
    cancelReload.current ??= systemClock.after(CHANGE_MS, () => {
      void running.current.then(() => {
        cancelReload.current = undefined;
        reload();
      });
    });
  }, changes);
  useEffect(() => () => cancelReload.current?.(), []);
  useEffect(() => {
    let isCurrent = true;
    running.current = callVerb(verb, params).then(
      (result) => void (isCurrent && setState({ result })),
      (error: unknown) => void (isCurrent && setState((before) => ({ ...before, failure: sentenceOf(error) }))),
    );
    return () => {
      isCurrent = false;
    };
  }, [verb, JSON.stringify(params), epoch.value, run]);
  return { ...state, reload };
}
