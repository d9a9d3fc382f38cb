/** `connect(target)`: from what a user names to a client that is ready. */
import { type Client, type ConnectOptions, openClient } from '../client/index.ts';
import type { Servable } from '../peer/exchange.ts';
import type { UrlOptions } from '../transport/http-client/options.ts';
import { planConnection, type Target } from './target.ts';

/** The types of a server in this process are known; those of any other are known once you name it: `connect<typeof shop>`. */
export function connect<S extends Servable>(target: S, options?: ConnectOptions): Promise<Client<S>>;
export function connect<S = unknown>(url: string | URL, options?: ConnectOptions & UrlOptions): Promise<Client<S>>;
export function connect<S = unknown>(target: Target, options?: ConnectOptions): Promise<Client<S>>;
export async function connect<S>(target: Target, options: ConnectOptions & UrlOptions = {}): Promise<Client<S>> {
  const { transport, extensions, ...context } = planConnection(target, options);
  const declared =
    extensions === undefined ? options : { ...options, extensions: { ...extensions, ...options.extensions } };
  return openClient<S>(transport, declared, context);
}
