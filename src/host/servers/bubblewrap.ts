/** A sandbox for servers on Linux: no network, no home, nothing to write to, unless somebody grants it. It takes the program `bwrap`. */
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import process from 'node:process';
import type { Sandbox, SandboxedCommand } from './sandbox.ts';

/** What a server may do besides running. */
export interface SandboxGrant {
  /** Folders and files to read; the working directory can always be read. */
  readonly read?: readonly string[];
  /** Folders and files to change. */
  readonly write?: readonly string[];
  readonly network?: boolean;
}

/** What programs need to run at all; whatever of it there is. */
const system: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/nix/store'],
  ...['alternatives', 'ca-certificates', 'group', 'hosts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'].map(etc),
  ...['localtime', 'nsswitch.conf', 'passwd', 'pki', 'resolv.conf', 'ssl', 'timezone'].map(etc),
];

/** By label. `false` runs a server without a sandbox; one that is not named gets nothing. */
export function bubblewrap(grants: Readonly<Record<string, SandboxGrant | false>> = {}): Sandbox {
  return (command, server) => {
    const grant = Object.hasOwn(grants, server) ? grants[server] : undefined;
    return grant === false ? undefined : { command: 'bwrap', args: flags(command, grant ?? {}) };
  };
}

function flags({ command, cwd = process.cwd(), env }: SandboxedCommand, grant: SandboxGrant): string[] {
  const { read = [], write = [], network = false } = grant;
  const readable = [...system, ...programFolder(command, env), cwd, ...read];
  return [
    // Nothing of it outlives the host.
    ...['--unshare-all', '--die-with-parent'],
    ...(network ? ['--share-net'] : []),
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...readable.flatMap((path) => ['--ro-bind-try', resolve(path), resolve(path)]),
    ...write.flatMap((path) => ['--bind', resolve(path), resolve(path)]),
    ...['--setenv', 'HOME', '/tmp', '--chdir', resolve(cwd), '--'],
  ];
}

/** Interpreters are often installed where nothing else should be read: their own folder, and the one that links to it. */
function programFolder(command: string, env: SandboxedCommand['env']): string[] {
  const found = isAbsolute(command) ? command : inPath(command, env['PATH'] ?? process.env['PATH'] ?? '');
  if (found === undefined) return [];
  const real = realpathSync(found);
  // `prefix/bin/node` comes with `prefix/lib`.
  return [dirname(found), /[/]bin[/][^/]+$/.test(real) ? dirname(dirname(real)) : real].filter((one) => one !== '/');
}

function inPath(command: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(canRun);
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function etc(name: string): string {
  return `/etc/${name}`;
}
