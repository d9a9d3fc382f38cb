/** Finds the files that a program needs to run, one by one, because its folder can be a whole home folder. */
import { realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import process from 'node:process';
import { findProgram } from '../../files/find-program.ts';
import { readFileHeadSync } from '../../files/read-file.ts';
import type { SandboxedCommand } from './sandbox.ts';

/** Files next to `prefix/bin` that its programs need: libraries, and the configuration of a Python environment. */
const siblings: readonly string[] = ['lib', 'lib64', 'libexec', 'pyvenv.cfg'];
/** A script, its interpreter, and the interpreter of that. */
const MAX_INTERPRETERS = 3;
const MAX_HEAD_BYTES = 256;

/** Empty if the program does not exist. */
export function programPaths({ command, cwd = process.cwd(), env }: SandboxedCommand): readonly string[] {
  const search = { cwd, env: { PATH: process.env['PATH'], ...env }, platform: process.platform };
  const paths = new Set<string>();
  let program: string | undefined = command;
  for (let depth = 0; depth < MAX_INTERPRETERS && program !== undefined; depth++) {
    const found = findProgram(program, search);
    if (found === undefined) break;
    const real = realpathSync(found);
    for (const one of [found, real, ...partsOf(found), ...partsOf(real)]) paths.add(one);
    program = interpreterOf(real);
  }
  return [...paths];
}

/** Whether a folder contains a user's home folder, which a sandbox must not show. */
export function holdsHome(path: string): boolean {
  const real = realOf(path);
  const homes = [process.env['HOME'] ?? '', homedir(), homeOfUser()].filter((home) => home !== '').map(realOf);
  return real === sep || homes.some((home) => home === real || home.startsWith(`${real}${sep}`));
}

/** The home folder in the system's user database, independent of `HOME`. Empty for a user without an entry, as in containers. */
function homeOfUser(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/** Folders and files that belong to the installation of a program. */
function partsOf(file: string): string[] {
  // The outermost node_modules, where packages find each other.
  const [packages] = /^.*?[/\\]node_modules(?=[/\\])/.exec(file) ?? [];
  const prefix = dirname(dirname(file));
  const parts =
    basename(dirname(file)) === 'bin' && !holdsHome(prefix) ? siblings.map((name) => join(prefix, name)) : [];
  return packages === undefined ? parts : [...parts, packages];
}

/** `#!/usr/bin/env -S node --x` is node; `#!/bin/sh` is /bin/sh. */
function interpreterOf(file: string): string | undefined {
  const [line = ''] = readFileHeadSync(file, MAX_HEAD_BYTES).toString('latin1').split('\n');
  const [, program, rest = ''] = /^#!\s*(\S+)\s*(.*)$/.exec(line) ?? [];
  if (program === undefined || basename(program) !== 'env') return program;
  return rest.split(/\s+/).find((word) => word !== '' && !word.startsWith('-') && !word.includes('='));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
