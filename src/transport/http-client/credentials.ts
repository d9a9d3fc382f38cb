/** Numbers the credentials of a transport's requests. Every change of credentials increases the number. */
import type { HeaderFields, HttpAuth } from '../../model/auth.ts';
import type { CredentialsInUse } from '../../peer/exchange.ts';

export class RequestCredentials implements CredentialsInUse {
  readonly #url: URL;
  readonly #auth: HttpAuth;
  #fields: HeaderFields;
  last = 0;

  constructor(url: URL, auth: HttpAuth) {
    this.#url = url;
    this.#auth = auth;
  }

  /** Called with the credentials of each request. */
  use(fields: HeaderFields): void {
    if (areEqual(fields ?? {}, this.#fields ?? {})) return;
    this.#fields = fields;
    this.last++;
  }

  async now(operation: string, signal: AbortSignal): Promise<number> {
    this.use(await this.#auth.headers({ method: 'POST', url: this.#url, operation, signal }));
    return this.last;
  }
}

type AuthHeaders = NonNullable<HeaderFields>;

/** Whether a header identifies the caller. A DPoP proof does not: it differs for each request. */
const identifies = (name: string): boolean => name !== 'dpop';

function areEqual(one: AuthHeaders, other: AuthHeaders): boolean {
  for (const name in one) if (identifies(name) && one[name] !== other[name]) return false;
  for (const name in other) if (identifies(name) && !(name in one)) return false;
  return true;
}
