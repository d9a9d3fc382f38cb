/** A workload that its platform vouches for: the platform's assertion is traded in for a token (RFC 7523). */
import type { Grant, Granted, GrantRequest } from '../tokens/grant.ts';
import { isTokenRefusal } from '../tokens/token-endpoint.ts';
import { type MachineParts, requestMachineToken } from './machine-token.ts';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export class WorkloadGrant implements Grant {
  readonly unattended = true;
  readonly issuer: string | undefined;
  readonly #parts: MachineParts;
  readonly #assertion: () => Promise<string>;
  /** It would be refused again. */
  #refused: string | undefined;

  constructor(parts: MachineParts, assertion: () => Promise<string>) {
    this.#parts = parts;
    this.issuer = parts.issuer;
    this.#assertion = assertion;
  }

  async obtain(wanted: GrantRequest): Promise<Granted> {
    const { context } = this.#parts;
    const assertion = await this.#assertion();
    if (assertion === this.#refused)
      throw context.failure('assertion', 'it is the one that was refused before, and is not shown again');
    const outcome = await requestMachineToken(this.#parts, wanted, { grant_type: JWT_BEARER, assertion });
    if (!isTokenRefusal(outcome)) return outcome;
    this.#refused = assertion;
    throw context.failure('token', outcome.why);
  }
}
