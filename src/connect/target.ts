/** Selects the transport for the target of `connect`. */
import type { ConnectOptions, Extension } from '../client/index.ts';
import { badDefinition } from '../errors.ts';
import { valueKind } from '../model/value-kind.ts';
import { DeadlinePause } from '../peer/deadlines.ts';
import type { Servable, Transport } from '../peer/exchange.ts';
import { Warnings } from '../peer/warnings.ts';
import type { Command } from '../transport/child.ts';
import type { UrlOptions } from '../transport/http-client/options.ts';
import { memoryTransport } from '../transport/memory.ts';

/** The URL of a server, a command to start, a server in this process, or a transport of your own. */
export type Target = string | URL | Command | Servable | Transport;

export interface ConnectionPlan {
  readonly transport: Transport;
  /** Clients with the same origin share cached results; undefined when they share none. */
  readonly origin?: string;
  /** Deadlines are paused while the user signs in. */
  readonly pause?: DeadlinePause;
  /** Extensions that the `auth` option requires the client to declare. */
  readonly extensions?: Readonly<Record<string, Extension>>;
}

/** The protocol specifies authorization for HTTP only; processes get credentials from their environment. */
const NO_AUTH = 'tokens and headers are for the URL of a server; give a command its credentials as "env"';

export function planConnection(target: Target, options: ConnectOptions & UrlOptions): ConnectionPlan {
  if (typeof target === 'string' || target instanceof URL) return planUrl(target, options);
  for (const name of ['auth', 'headers'] as const)
    if (options[name] !== undefined) throw badDefinition(`The option "${name}"`, NO_AUTH);
  if (typeof target === 'function') return { transport: target };
  if (typeof target === 'object' && target !== null) {
    if ('open' in target) return { transport: memoryTransport(target) };
    if ('command' in target) return { transport: lazyChildTransport(target, options), origin: originOf(target) };
  }
  // For callers without TypeScript: `createHost` accepts { url, headers, auth }, `connect` does not.
  const isWrapped = typeof target === 'object' && target !== null && 'url' in target;
  if (isWrapped) throw badDefinition('The target', 'pass the URL alone, as in connect(url, { headers, auth })');
  const expected = 'a URL, { command, args }, a server, or a transport (a function that opens a connection)';
  throw badDefinition('The target', `it must be ${expected}, not ${valueKind(target)}`);
}

/** Loads the HTTP transport lazily, with the first connection. */
function planUrl(url: string | URL, options: ConnectOptions & UrlOptions): ConnectionPlan {
  const warnings = new Warnings(options.onWarning);
  const { headers, auth, fetch, maxAnswerBytes, clock, random } = options;
  const onWarning = (warning: string): void => warnings.once(warning);
  const pause = new DeadlinePause();
  const settled = { headers, auth, fetch, maxAnswerBytes, clock, random, onWarning, pause };
  let opening: Promise<Transport> | undefined;
  const transport: Transport = async (inbound, session) => {
    // All connections share one transport, because its credentials outlive a connection.
    opening ??= import('../transport/http-client/http-transport.ts').then(({ httpTransport }) =>
      httpTransport(url, settled),
    );
    return (await opening)(inbound, session);
  };
  const declared = (auth?.extensions ?? []).map((id): [string, Extension] => [id, {}]);
  const extensions = declared.length === 0 ? {} : { extensions: Object.fromEntries(declared) };
  return { transport, origin: String(url), pause, ...extensions };
}

/** Loads the transport for child processes lazily, because it needs Node. */
function lazyChildTransport(command: Command, { onWarning }: ConnectOptions): Transport {
  if (typeof process === 'undefined')
    throw badDefinition('The target', 'a page cannot start a process; give the URL of a server');
  if (command.args !== undefined && !Array.isArray(command.args))
    throw badDefinition('The target', `"args" must be a list of strings, not ${valueKind(command.args)}`);
  const { onStray = warnOfStray(command, new Warnings(onWarning)) } = command;
  return async (inbound, session) => {
    const { childTransport } = await import('../transport/child.ts');
    return childTransport({ ...command, onStray })(inbound, session);
  };
}

/** Reports only the first stray line: it may have held a response, whose call now runs into its timeout. */
function warnOfStray({ command }: Command, warnings: Warnings): NonNullable<Command['onStray']> {
  let isReported = false;
  return (_, sample, isMalformed) => {
    // Late responses are well-formed messages, and not worth a warning.
    if (isReported || isMalformed !== true) return;
    isReported = true;
    const rule = 'It is skipped: a server writes one message per line, and everything else to standard error';
    warnings.warn(`${command} wrote a line to standard output that is not one JSON-RPC message: ${sample}. ${rule}`);
  };
}

const originOf = ({ command, args = [], cwd }: Command): string => JSON.stringify([command, ...args, cwd ?? null]);
