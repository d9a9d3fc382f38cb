/** What a verb says: asked when it is first shown, and again when something changes. An answer that was overtaken is dropped. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { systemClock } from '../../../peer/clock.ts';
import type { VerbName, VerbParams, VerbResult } from '../../protocol.ts';
import { ask, epoch, sentenceOf } from '../store.ts';

/** What changes many times a second is asked for ten times: the process takes 200 requests a second of all pages. */
const CHANGE_MS = 100;

export interface AskedVerb<T> {
  readonly said?: T | undefined;
  readonly failure?: string | undefined;
  again(): void;
}

export function useAsked<V extends VerbName>(
  verb: V,
  params: VerbParams<V>,
  ...changes: readonly unknown[]
): AskedVerb<VerbResult<V>> {
  const [state, setState] = useState<Omit<AskedVerb<VerbResult<V>>, 'again'>>({});
  const [run, setRun] = useState(0);
  const again = (): void => setRun((times) => times + 1);
  const seen = useRef(changes);
  const later = useRef<(() => void) | undefined>(undefined);
  useEffect(() => {
    if (changes.every((change, at) => change === seen.current[at])) return;
    seen.current = changes;
    later.current ??= systemClock.after(CHANGE_MS, () => {
      later.current = undefined;
      again();
    });
  }, changes);
  useEffect(() => () => later.current?.(), []);
  useEffect(() => {
    let isCurrent = true;
    void ask(verb, params).then(
      (said) => isCurrent && setState({ said }),
      (error: unknown) => isCurrent && setState((before) => ({ ...before, failure: sentenceOf(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [verb, JSON.stringify(params), epoch.value, run]);
  return { ...state, again };
}
