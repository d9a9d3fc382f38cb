/** Notices when the answers of a connection are for other credentials than before. */
import type { CredentialsInUse } from '../peer/exchange.ts';

export class CredentialsWatch {
  #inUse: CredentialsInUse | undefined;
  /** Those of the last answer. */
  #last: number | undefined;
  /** They were used more than once. Where every request has its own, changes are not worth noticing. */
  #isLasting = true;

  /** Those of the current connection, where the transport sends any. */
  get inUse(): CredentialsInUse | undefined {
    return this.#inUse;
  }

  /** For a new connection. What is remembered of the server is for the credentials before it. */
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
