/** A client that acts for itself: it proves who it is, and that is enough. */
import type { Grant, Granted, GrantRequest } from '../tokens/grant.ts';
import { isTokenRefusal } from '../tokens/token-endpoint.ts';
import { type MachineParts, requestMachineToken } from './machine-token.ts';

export class ClientCredentialsGrant implements Grant {
  readonly unattended = true;
  readonly issuer: string | undefined;
  readonly #parts: MachineParts;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.issuer = parts.issuer;
  }

  async obtain(wanted: GrantRequest): Promise<Granted> {
    const outcome = await requestMachineToken(this.#parts, wanted, { grant_type: 'client_credentials' });
    if (isTokenRefusal(outcome)) throw this.#parts.context.failure('token', outcome.why);
    return outcome;
  }
}
