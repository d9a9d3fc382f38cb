/** Whether a part is worth showing: not where the rules deny it whatever it is called with. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import type { PolicyHistory, Rule } from '../act/rule.ts';
import { decidePolicy, MissingFact } from '../policy/decide-policy.ts';

const throwMissing = (): never => {
  throw new MissingFact('the arguments are not known yet');
};

/** Before the call they are not known, so a rule that looks at them has not decided anything. */
const unknownArguments: JsonObject = new Proxy(
  {},
  { get: throwMissing, has: throwMissing, ownKeys: throwMissing, getOwnPropertyDescriptor: throwMissing },
);

/** What is used up today may be allowed tomorrow; lists do not come and go with it. */
const fresh: PolicyHistory = { count: () => 0, tokens: () => 0 };

export interface Visibility {
  readonly isVisible: boolean;
  /** A rule looked at the session, so that another session may see something else. */
  readonly readsSession: boolean;
}

/** Without a user to ask, what would be asked is denied. */
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
