/** Finds a system program for tests, or installs it from Debian. */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Its path. Installs it if that needs no password; otherwise throws with instructions. */
export function systemProgram(what: string, names: readonly string[], debianPackage: string): string {
  const found = inPath(names);
  if (found !== undefined) return found;
  const apt = process.getuid?.() === 0 ? inPath(['apt-get']) : undefined;
  if (apt !== undefined) {
    const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
    const options = { stdio, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    // Two test files can need the same program, and apt-get fails while another one runs.
    const oneByOne = (...args: readonly string[]): unknown =>
      execFileSync(
        'flock',
        [join(tmpdir(), 'mooring-apt.lock'), apt, '-o', 'DPkg::Lock::Timeout=600', ...args],
        options,
      );
    oneByOne('update', '-qq');
    oneByOne('install', '-y', '-qq', '--no-install-recommends', debianPackage);
  }
  const installed = inPath(names);
  if (installed !== undefined) return installed;
  throw new Error(
    `${what} is missing: install it (on Debian: apt-get install ${debianPackage}) as one of ${names.join(', ')}`,
  );
}

function inPath(programs: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return programs.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
