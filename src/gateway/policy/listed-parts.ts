/** Which parts callers see, decided once: for all of them where no rule looks at the caller, and else for each set of credentials. */
import type { AuthInfo } from '../../model/caller.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { ExposedPart } from '../contract.ts';

/** A part belongs to one view, and is another object whenever its list changes. */
type PartDecisions = WeakMap<ExposedPart, boolean>;

/** Sets of credentials whose decisions are kept. Beyond that, the one that called longest ago is forgotten. */
const MAX_CALLERS = 1_000;

export class ListedParts {
  readonly #forAll: PartDecisions = new WeakMap();
  readonly #byAuth: WeakMap<AuthInfo, PartDecisions> = new WeakMap();
  readonly #byCaller: Map<string, PartDecisions> = new Map();

  /** Without `auth`, what holds for all callers. */
  get(part: ExposedPart, auth: AuthInfo | undefined, decide: () => boolean): boolean {
    const decisions = auth === undefined ? this.#forAll : (this.#byAuth.get(auth) ?? this.#decisionsOf(auth));
    const known = decisions.get(part);
    if (known !== undefined) return known;
    const decided = decide();
    decisions.set(part, decided);
    return decided;
  }

  /** The same caller comes with another object for each request. */
  #decisionsOf(auth: AuthInfo): PartDecisions {
    const { issuer, subject, clientId, scopes, claims } = auth;
    const key = JSON.stringify([issuer, subject, clientId, scopes, claims]);
    const decisions: PartDecisions = this.#byCaller.get(key) ?? new WeakMap();
    setNewest(this.#byCaller, key, decisions, MAX_CALLERS);
    this.#byAuth.set(auth, decisions);
    return decisions;
  }
}
