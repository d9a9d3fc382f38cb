/** Detects that requests of a connection use other credentials than before. */
import type { CredentialsInUse } from '../peer/exchange.ts';

export class CredentialsWatch {
  #inUse: CredentialsInUse | undefined;
  /** The credentials of the last response. */
  #last: number | undefined;
  /** Whether two consecutive responses had the same credentials. If each request has its own, changes are ignored. */
  #isLasting = true;

  /** The credentials of the current connection; undefined if the transport sends none. */
  get inUse(): CredentialsInUse | undefined {
    return this.#inUse;
  }

  /** Starts with a new connection. If the server's description is remembered, it was for the earlier credentials. */
  adopt(inUse: CredentialsInUse | undefined, isRemembered: boolean): void {
    this.#inUse = inUse;
    if (!isRemembered) this.#last = inUse?.last;
    this.#isLasting = true;
  }

  /** Records the credentials of a response. Returns whether they changed, unless each request has its own. */
  isChangedBy(used: number | undefined): boolean {
    const isSame = used === this.#last;
    const isChange = !isSame && this.#isLasting;
    this.#isLasting = isSame;
    this.#last = used;
    return isChange;
  }
}
