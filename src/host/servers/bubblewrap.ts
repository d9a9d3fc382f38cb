/** A sandbox for servers on Linux, by the program `bwrap`: no network, no home folder and no writable files without a grant. */
import { resolve } from 'node:path';
import process from 'node:process';
import { badDefinition } from '../../errors.ts';
import { holdsHome, programPaths } from './program-paths.ts';
import type { Sandbox, SandboxedCommand } from './sandbox.ts';

/** What a server can do in its sandbox. */
export interface SandboxGrant {
  /** Folders and files to read; the working directory can always be read, and what the program consists of. */
  readonly read?: readonly string[];
  /** Folders and files to change. */
  readonly write?: readonly string[];
  readonly network?: boolean;
}

/** Empty, and the server's own. */
const HOME = '/tmp';
/** What programs need to run, as far as it exists. */
const system: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/nix/store'],
  ...['alternatives', 'ca-certificates', 'group', 'hosts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'].map(etc),
  ...['localtime', 'nsswitch.conf', 'passwd', 'pki', 'resolv.conf', 'ssl', 'timezone'].map(etc),
];

/** By label. `false` runs a server without a sandbox; one that is not named gets nothing. */
export function bubblewrap(grants: Readonly<Record<string, SandboxGrant | false>> = {}): Sandbox {
  return (command, server) => {
    const grant = Object.hasOwn(grants, server) ? grants[server] : undefined;
    return grant === false ? undefined : { command: 'bwrap', args: flags(command, grant ?? {}, server) };
  };
}

function flags(command: SandboxedCommand, grant: SandboxGrant, server: string): string[] {
  const { read = [], write = [], network = false } = grant;
  const cwd = workingDirectory(command, server);
  const readable = [...system, ...programPaths(command), ...(cwd === HOME ? [] : [cwd]), ...read];
  return [
    // Nothing of it outlives the host.
    ...['--unshare-all', '--die-with-parent'],
    ...(network ? ['--share-net'] : []),
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', HOME],
    ...readable.flatMap((path) => ['--ro-bind-try', resolve(path), resolve(path)]),
    ...write.flatMap((path) => ['--bind', resolve(path), resolve(path)]),
    ...['--setenv', 'HOME', HOME, '--chdir', cwd, '--'],
  ];
}

/** Throws where the definition names a folder that holds a home; where it names none, the server gets an empty one. */
function workingDirectory({ cwd }: SandboxedCommand, server: string): string {
  const folder = resolve(cwd ?? process.cwd());
  if (!holdsHome(folder)) return folder;
  if (cwd === undefined) return HOME;
  const why = `its working directory ${folder} holds a whole home folder, which the sandbox would show; name a folder below it`;
  throw badDefinition(`The server "${server}"`, why);
}

function etc(name: string): string {
  return `/etc/${name}`;
}
