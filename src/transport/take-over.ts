/** Lets `mooring dev` serve a module that would serve itself as soon as it is loaded. */
import type { Servable } from '../peer/exchange.ts';

/** Undefined leaves the server to the module; otherwise the module waits there until the process ends. */
export type TakeOver = (server: Servable, transport: 'stdio' | 'http') => Promise<never> | undefined;

/** The module may have brought a copy of this package of its own, so that nothing but the process is shared. */
const TAKE_OVER: unique symbol = Symbol.for('mooring.takeOver') as never;
type TakeOverGlobal = { [TAKE_OVER]?: TakeOver | undefined };

export const takenOver = (): TakeOver | undefined => (globalThis as TakeOverGlobal)[TAKE_OVER];

/** Until the returned function is called. */
export function takeOver(take: TakeOver): () => void {
  (globalThis as TakeOverGlobal)[TAKE_OVER] = take;
  return () => {
    delete (globalThis as TakeOverGlobal)[TAKE_OVER];
  };
}
