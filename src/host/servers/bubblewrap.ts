/** Sandboxes servers on Linux with `bwrap`: no network, no home folder and no writable files without a grant. */
import { resolve } from 'node:path';
import process from 'node:process';
import { badDefinition } from '../../errors.ts';
import { holdsHome, programPaths } from './program-paths.ts';
import type { Sandbox, SandboxedCommand } from './sandbox.ts';

/** Permissions of a server in its sandbox. */
export interface SandboxGrant {
  /** Readable folders and files. The working directory and the program's own files are always readable. */
  readonly read?: readonly string[];
  /** Writable folders and files. */
  readonly write?: readonly string[];
  readonly network?: boolean;
}

/** The server's home folder: empty, and not shared. */
const HOME = '/tmp';
/** System files that programs need. Missing ones are skipped. */
const system: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/nix/store'],
  ...['alternatives', 'ca-certificates', 'group', 'hosts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'].map(etc),
  ...['localtime', 'nsswitch.conf', 'passwd', 'pki', 'resolv.conf', 'ssl', 'timezone'].map(etc),
];

/** Creates a sandbox. Grants are by label; `false` runs a server without a sandbox, and one that is not named has no grant. */
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
    // Processes in the sandbox end with the host.
    ...['--unshare-all', '--die-with-parent'],
    ...(network ? ['--share-net'] : []),
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', HOME],
    ...readable.flatMap((path) => ['--ro-bind-try', resolve(path), resolve(path)]),
    ...write.flatMap((path) => ['--bind', resolve(path), resolve(path)]),
    ...['--setenv', 'HOME', HOME, '--chdir', cwd, '--'],
  ];
}

/** Throws if `cwd` contains a home folder. Without `cwd`, if the host's own contains one, the server gets an empty folder. */
function workingDirectory({ cwd }: SandboxedCommand, server: string): string {
  const folder = resolve(cwd ?? process.cwd());
  if (!holdsHome(folder)) return folder;
  if (cwd === undefined) return HOME;
  const why = `its working directory ${folder} contains a whole home folder, which the sandbox would expose; choose a folder below it`;
  throw badDefinition(`The server "${server}"`, why);
}

function etc(name: string): string {
  return `/etc/${name}`;
}
