/** A workload that its platform vouches for: the platform's assertion is traded in for a token (RFC 7523). */
import type { Grant, Granted, GrantRequest } from './grant.ts';
import { type MachineParts, machineToken } from './machine-token.ts';
import { isTokenRefusal } from './token-endpoint.ts';

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
    const { flow } = this.#parts;
    const assertion = await this.#assertion();
    if (assertion === this.#refused)
      throw flow.failed('assertion', 'it is the one that was refused before, and is not shown again');
    const outcome = await machineToken(this.#parts, wanted, { grant_type: JWT_BEARER, assertion });
    if (!isTokenRefusal(outcome)) return outcome;
    this.#refused = assertion;
    throw flow.failed('token', outcome.why);
  }
}
