/** Implements `connect(target)`: validates options, plans the transport and opens the client. */
import { type Client, type ConnectOptions, openClient } from '../client/index.ts';
import { badDefinition } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { valueKind } from '../model/value-kind.ts';
import type { Servable, Transport } from '../peer/exchange.ts';
import type { Command } from '../transport/child.ts';
import type { UrlOptions } from '../transport/http-client/options.ts';
import { planConnection } from './target.ts';

/** `headers`, `auth` and other HTTP options are accepted only with a URL. */
type OptionsFor<T> = [T] extends [string | URL] ? ConnectOptions & UrlOptions : ConnectOptions;
/** The type of a server in this process; otherwise the type argument of the caller. */
type ServerOf<T, S> = T extends Servable ? (Servable extends T ? S : T) : S;

const connectOptionNames: OptionNames<ConnectOptions & UrlOptions> = {
  ...{ name: true, version: true, elicit: true, sample: true, roots: true, revisions: true, headers: true, auth: true },
  ...{ fetch: true, maxAnswerBytes: true, timeoutMs: true, maxTimeoutMs: true, connectTimeoutMs: true },
  ...{ probeTimeoutMs: true, closeTimeoutMs: true, limits: true, cache: true, tasks: true, extensions: true },
  ...{ layers: true, onLog: true, logLevel: true, onWarning: true, clock: true, random: true, signal: true },
};

const FIXED_TOKEN = 'a fixed token is headers: { authorization: "Bearer …" }';
/** Names that other clients give to the option for a token. */
const tokenOptions = ['token', 'bearer', 'accessToken', 'apiKey', 'authorization'];

// One signature instead of overloads, for readable compiler errors.
/**
 * Connects to a server and negotiates a revision. The types of a server in this process are inferred. For any other server, pass
 * its type: `connect<typeof shop>(url)`.
 */
export async function connect<S = unknown, T extends string | URL | Servable = string | URL>(
  target: T | string | URL | Command | Servable | Transport,
  options?: OptionsFor<T>,
): Promise<Client<ServerOf<T, S>>> {
  const settings: ConnectOptions & UrlOptions = options ?? {};
  const tokenOption = isObject(settings) ? tokenOptions.find((name) => name in settings) : undefined;
  if (tokenOption !== undefined)
    throw badDefinition('connect(target, options)', `there is no option "${tokenOption}"; ${FIXED_TOKEN}`);
  checkOptions('connect(target, options)', settings, connectOptionNames);
  const { auth, elicit, sample } = settings;
  if (auth !== undefined && typeof auth !== 'function') {
    const why = `it must be a function, such as oauth(), not ${valueKind(auth)}`;
    throw badDefinition('The option "auth"', `${why}; ${FIXED_TOKEN}`);
  }
  for (const [name, handler] of Object.entries({ elicit, sample }))
    if (handler !== undefined && typeof handler !== 'function' && !isObject(handler)) {
      const why = `it must be a function, or an object of functions, not ${valueKind(handler)}`;
      throw badDefinition(`The option "${name}"`, why);
    }
  const { transport, extensions, ...context } = planConnection(target, settings);
  const declared =
    extensions === undefined ? settings : { ...settings, extensions: { ...extensions, ...settings.extensions } };
  return openClient<ServerOf<T, S>>(transport, declared, context);
}
