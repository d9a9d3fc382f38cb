/** Numbers the credentials that requests of one transport go out with: another number for every change. */
import type { HeaderFields, HttpAuth } from '../../model/auth.ts';
import type { CredentialsInUse } from '../../peer/exchange.ts';

export class RequestCredentials implements CredentialsInUse {
  readonly #url: URL;
  readonly #auth: HttpAuth;
  #shown: HeaderFields;
  last = 0;

  constructor(url: URL, auth: HttpAuth) {
    this.#url = url;
    this.#auth = auth;
  }

  /** A request goes out with these fields. */
  use(fields: HeaderFields): void {
    if (areSame(fields ?? {}, this.#shown ?? {})) return;
    this.#shown = fields;
    this.last++;
  }

  async now(operation: string, signal: AbortSignal): Promise<number> {
    this.use(await this.#auth.headers({ method: 'POST', url: this.#url, operation, signal }));
    return this.last;
  }
}

type AuthHeaders = NonNullable<HeaderFields>;

/** A DPoP proof is made for one request, and says nothing about who sends it. */
const identifies = (name: string): boolean => name !== 'dpop';

function areSame(one: AuthHeaders, other: AuthHeaders): boolean {
  for (const name in one) if (identifies(name) && one[name] !== other[name]) return false;
  for (const name in other) if (identifies(name) && !(name in one)) return false;
  return true;
}
