/** Options of `run` and `dev`: the export to serve, and the address to listen on. */
import { existsSync, statSync } from 'node:fs';
import { isLoopbackHost } from '../../model/loopback.ts';
import { badArgument, portIn, rejectExtra } from '../arguments.ts';
import { type CommandInput, type Options, withValue } from '../command.ts';
import { pathFrom } from '../paths.ts';
import type { ModuleFile } from './load-server.ts';
import type { ListenAddress } from './serve.ts';

export const moduleOptions = {
  http: {
    type: 'string',
    value: 'port',
    optional: /^\d+$/,
    about: 'Serve over HTTP on this port instead of stdio (default: 3000)',
  },
  host: withValue('address', 'Listen on this network address (default: 127.0.0.1)'),
  path: withValue('path', 'Serve at this path (default: /mcp)'),
  export: withValue('name', 'Use this export of the module'),
} as const satisfies Options;

type ModuleInput = CommandInput<typeof moduleOptions> & { readonly values: { readonly json?: boolean } };

const DEFAULT_PORT = 3000;

/** Validates the module argument without loading it. Throws `MCP_BAD_ARGUMENT`. */
export function moduleIn({ words, values, after, shell }: ModuleInput): ModuleFile {
  const [argument, ...rest] = words;
  if (after !== undefined)
    throw badArgument('--', 'expected a module, not a command; to try a command, use `mooring list -- …`');
  if (argument === undefined) throw badArgument('<module>', 'expected the path of a .ts or .js file');
  if (values.http === '' && rest[0] !== undefined)
    throw badArgument(`--http ${rest[0]}`, 'expected a port, such as 3000; for an address, add --host');
  rejectExtra(rest);
  const file = pathFrom(shell, argument);
  if (!existsSync(file)) throw badArgument(argument, `file not found (${file}); check the path`);
  if (!statSync(file).isFile()) throw badArgument(argument, 'this is a folder; give the file that exports the server');
  if (!/\.[cm]?[jt]sx?$/i.test(file)) throw badArgument(argument, 'expected a .js, .mjs, .cjs, .ts or .mts file');
  return { file, argument, name: values.export };
}

/** The HTTP address; undefined for stdio. */
export function listenAddressIn({ values }: Pick<ModuleInput, 'values'>): ListenAddress | undefined {
  const { http, host = '127.0.0.1', path = '/mcp' } = values;
  if (http === undefined) {
    for (const name of ['host', 'path'] as const)
      if (values[name] !== undefined) throw badArgument(`--${name}`, 'this option requires --http');
    if (values.json === true)
      throw badArgument('--json', 'standard output carries protocol messages; use this option with --http');
    return undefined;
  }
  const port = http === '' ? DEFAULT_PORT : portIn(http, '--http');
  if (!isLoopbackHost(host))
    throw badArgument(
      `--host ${host}`,
      'other machines could reach the server without signing in; to allow that, call serveHttp(server, { host, auth }) in a program',
    );
  if (!path.startsWith('/')) throw badArgument(`--path ${path}`, `expected a path such as /mcp: write /${path}`);
  return { port, host, path };
}
