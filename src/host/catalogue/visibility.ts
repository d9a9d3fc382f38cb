/** Decides whether a catalogue shows an item: not if the rules deny it for all arguments. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import type { PolicyHistory, Rule } from '../act/rule.ts';
import { decidePolicy, MissingFact } from '../policy/decide-policy.ts';

const throwMissing = (): never => {
  throw new MissingFact('the arguments are not known yet');
};

/** Throws on access, because arguments are unknown before the call: a rule that reads them cannot decide yet. */
const unknownArguments: JsonObject = new Proxy(
  {},
  { get: throwMissing, has: throwMissing, ownKeys: throwMissing, getOwnPropertyDescriptor: throwMissing },
);

/** An empty history, so that lists do not change when a budget is used up. */
const fresh: PolicyHistory = { count: () => 0, tokens: () => 0 };

export interface Visibility {
  readonly isVisible: boolean;
  /** Whether a rule read the session, so that the result cannot be shared between sessions. */
  readonly readsSession: boolean;
}

/** Returns a function that decides the visibility of an act. If the user cannot be asked, `ask` counts as denied. */
export const visibility =
  (policy: readonly Rule[], { canAsk }: { readonly canAsk: boolean }) =>
  (act: Act): Visibility => {
    let readsSession = false;
    const watched: Act = {
      ...act,
      arguments: unknownArguments,
      get session() {
        readsSession = true;
        return act.session;
      },
    };
    try {
      const { verdict } = decidePolicy(policy, watched, fresh);
      return { isVisible: verdict === 'allow' || (verdict === 'ask' && canAsk), readsSession };
    } catch (error) {
      if (error instanceof MissingFact) return { isVisible: true, readsSession };
      throw error;
    }
  };
