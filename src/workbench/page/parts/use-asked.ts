/** What a verb says: asked when it is first shown, and again when something changes. An answer that was overtaken is dropped. */
import { useEffect, useState } from 'preact/hooks';
import type { VerbName, VerbParams, VerbResult } from '../../protocol.ts';
import { ask, epoch, sentenceOf } from '../store.ts';

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
  useEffect(() => {
    let isCurrent = true;
    void ask(verb, params).then(
      (said) => isCurrent && setState({ said }),
      (error: unknown) => isCurrent && setState((before) => ({ ...before, failure: sentenceOf(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [verb, JSON.stringify(params), epoch.value, run, ...changes]);
  return { ...state, again: () => setRun((times) => times + 1) };
}
