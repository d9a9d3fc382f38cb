/** Which credentials the answers of a connection were for, so that it is noticed when they have become others. */
import type { CredentialsInUse } from '../peer/exchange.ts';

export class CredentialsWatch {
  #inUse: CredentialsInUse | undefined;
  /** Which the last answer was for. */
  #last: number | undefined;
  /** They have served more than once. Where every request has its own, nothing is gained by noticing each. */
  #isLasting = true;

  /** Those that requests go out with, where the transport shows any. */
  get inUse(): CredentialsInUse | undefined {
    return this.#inUse;
  }

  /** Of a new line. What is remembered of the server was said to the credentials before it. */
  adopt(inUse: CredentialsInUse | undefined, isRemembered: boolean): void {
    this.#inUse = inUse;
    if (!isRemembered) this.#last = inUse?.last;
    this.#isLasting = true;
  }

  /** Whether an answer for these is the first after a change that matters. */
  notices(used: number | undefined): boolean {
    const isSame = used === this.#last;
    const isNoticed = !isSame && this.#isLasting;
    this.#isLasting = isSame;
    this.#last = used;
    return isNoticed;
  }
}
