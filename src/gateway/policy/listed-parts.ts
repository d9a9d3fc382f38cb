/** Caches whether callers see a part: once for all if no rule depends on the caller, otherwise per set of credentials. */
import type { AuthInfo } from '../../model/caller.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { ExposedPart } from '../contract.ts';

/** A part is a new object whenever its list changes, so entries never go stale. */
type PartDecisions = WeakMap<ExposedPart, boolean>;

/** Beyond this, the least recently used set of credentials is evicted. */
const MAX_CALLERS = 1_000;

export class ListedParts {
  readonly #forAll: PartDecisions = new WeakMap();
  readonly #byAuth: WeakMap<AuthInfo, PartDecisions> = new WeakMap();
  readonly #byCaller: Map<string, PartDecisions> = new Map();

  /** Without `auth`, the decision for all callers. */
  get(part: ExposedPart, auth: AuthInfo | undefined, decide: () => boolean): boolean {
    const decisions = auth === undefined ? this.#forAll : (this.#byAuth.get(auth) ?? this.#decisionsOf(auth));
    const known = decisions.get(part);
    if (known !== undefined) return known;
    const decided = decide();
    decisions.set(part, decided);
    return decided;
  }

  /** Each request of a caller has a new `AuthInfo` object, so equal ones are found by value. */
  #decisionsOf(auth: AuthInfo): PartDecisions {
    const { issuer, subject, clientId, scopes, claims } = auth;
    const key = JSON.stringify([issuer, subject, clientId, scopes, claims]);
    const decisions: PartDecisions = this.#byCaller.get(key) ?? new WeakMap();
    setNewest(this.#byCaller, key, decisions, MAX_CALLERS);
    this.#byAuth.set(auth, decisions);
    return decisions;
  }
}
