/** A client that acts for itself: it proves who it is, and that is enough. */
import type { Grant, Granted, GrantRequest } from './grant.ts';
import { type MachineParts, machineToken } from './machine-token.ts';
import { isTokenRefusal } from './token-endpoint.ts';

export class ClientCredentialsGrant implements Grant {
  readonly unattended = true;
  readonly issuer: string | undefined;
  readonly #parts: MachineParts;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.issuer = parts.issuer;
  }

  async obtain(wanted: GrantRequest): Promise<Granted> {
    const outcome = await machineToken(this.#parts, wanted, { grant_type: 'client_credentials' });
    if (isTokenRefusal(outcome)) throw this.#parts.flow.failed('token', outcome.why);
    return outcome;
  }
}
