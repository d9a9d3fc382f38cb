/** Checks the folder, the program and its execute permission, without starting the command. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { canRun, findProgram, isFile } from '../../files/find-program.ts';
import { readFileText } from '../../files/read-file.ts';
import type { Shell } from '../shell.ts';
import { type DoctorFinding, doctorFault, FatalFinding, type FaultDetails, passedFinding } from './finding.ts';

/** A larger module is not read. */
const MAX_MODULE: number = 4 * 1024 * 1024;

/** `env` are the variables configured for the command. */
export function commandCheck(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  shell: Shell,
): DoctorFinding {
  if (!existsSync(cwd) || !statSync(cwd).isDirectory())
    throw new FatalFinding('command', 'missing-folder', `the working directory ${cwd} does not exist`);
  // Finds files that are not executable too, and reports them as such below.
  const found = findProgram(command, { cwd, env: { ...shell.env, ...env }, platform: shell.platform }, isFile);
  if (found === undefined) throw new FatalFinding('command', missing(command));
  if (shell.platform !== 'win32' && !canRun(found))
    throw new FatalFinding(
      'command',
      'not-executable',
      `${found} is not executable`,
      `run \`chmod +x ${found}\`, or name the program that runs it, such as \`node ${command}\``,
    );
  return passedFinding('command', found);
}

const missing = (command: string): FaultDetails =>
  /[/\\]/.test(command)
    ? doctorFault('command-not-found', `file not found: ${command}`, 'check the path')
    : doctorFault(
        'command-not-found',
        `program "${command}" not found in PATH`,
        `install it, or give its full path (\`which ${command}\` in the terminal where it works)`,
      );

/** The first argument that is a module with exports. */
export async function exportingModule(args: readonly string[], cwd: string): Promise<string | undefined> {
  for (const word of args.filter((one) => /\.[cm]?[jt]s$/i.test(one))) {
    const text = await readFileText(resolve(cwd, word), { maxBytes: MAX_MODULE }).catch(() => undefined);
    if (/^\s*export\s|\bmodule\.exports\b|\bexports\.\w/m.test(text ?? '')) return word;
  }
  return undefined;
}
