/** Lets `mooring dev` take over a server from a module that serves it as soon as the module is loaded. */
import type { Servable } from '../peer/exchange.ts';

/** Returns undefined to let the module serve; otherwise a promise on which the module waits until the process ends. */
export type TakeOver = (server: Servable, transport: 'stdio' | 'http') => Promise<never> | undefined;

/** On `globalThis`, because the module can import another copy of this package. */
const TAKE_OVER: unique symbol = Symbol.for('mooring.takeOver') as never;
type TakeOverGlobal = { [TAKE_OVER]?: TakeOver | undefined };

export const installedTakeOver = (): TakeOver | undefined => (globalThis as TakeOverGlobal)[TAKE_OVER];

/** Installs the hook until the returned function is called. */
export function installTakeOver(take: TakeOver): () => void {
  (globalThis as TakeOverGlobal)[TAKE_OVER] = take;
  return () => {
    delete (globalThis as TakeOverGlobal)[TAKE_OVER];
  };
}
