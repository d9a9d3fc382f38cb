/** Runs the command of a gateway's file that prints a secret. */
import { execFile } from 'node:child_process';
import type { Shell } from '../shell.ts';

const MAX_BYTES = 65_536;
const COMMAND_MS = 10_000;

/** What it prints, without the line end. */
export const printSecret =
  ({ env, signal }: Shell) =>
  ([program = '', ...args]: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { env: { ...env }, signal, timeout: COMMAND_MS, maxBuffer: MAX_BYTES, windowsHide: true };
      execFile(program, args, options, (failed, stdout) => {
        const found = stdout.replace(/\r?\n$/, '');
        // Not the text of the failure: it can repeat what was printed.
        if (failed !== null) reject(new Error(`the command ${program} of "secrets" failed; run it to see why`));
        else if (found === '') reject(new Error(`the command ${program} of "secrets" printed nothing`));
        else resolve(found);
      });
    });
