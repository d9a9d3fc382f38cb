/** A module that serves its server as soon as it is loaded can be served otherwise: whoever loads it takes the server over. */
import type { Servable } from '../peer/exchange.ts';

/** Settles when the server is no longer served. */
export type TakeOver = (server: Servable) => Promise<void>;

/** The module may have brought a copy of this package of its own, so that nothing but the process is shared. */
const TAKE_OVER: unique symbol = Symbol.for('mooring.takeOver') as never;
type Shared = { [TAKE_OVER]?: TakeOver | undefined };

export const takenOver = (): TakeOver | undefined => (globalThis as Shared)[TAKE_OVER];

/** Until the returned function is called. */
export function takeOver(take: TakeOver): () => void {
  (globalThis as Shared)[TAKE_OVER] = take;
  return () => {
    delete (globalThis as Shared)[TAKE_OVER];
  };
}
