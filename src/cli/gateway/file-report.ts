/** Reads a gateway file, and formats its findings. */

import { execFile } from 'node:child_process';
import type { FileFinding } from '../../gateway/file/file-finding.ts';
import { type GatewayFileReport, readGatewayFile } from '../../gateway/file/read-gateway-file.ts';
import { printableLines } from '../../model/printable.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { pathFrom } from '../paths.ts';
import { countOf, type Printer } from '../printer.ts';
import type { Shell } from '../shell.ts';

export interface NamedFile {
  readonly path: string;
  /** As it was typed. */
  readonly name: string;
}

export function fileIn(words: readonly string[], shell: Shell): NamedFile {
  const [name, ...rest] = words;
  if (name === undefined) throw badArgument('<file>', 'expected a gateway file, such as gateway.yaml');
  rejectExtra(rest);
  return { path: pathFrom(shell, name), name };
}

export async function readFileFor(path: string, shell: Shell): Promise<GatewayFileReport> {
  const report = await readGatewayFile(path, { env: shell.env, home: shell.home, run: secretCommand(shell) });
  // A command of "secrets" that Ctrl-C ended is no error of the file.
  if (report.config === undefined) shell.signal.throwIfAborted();
  return report;
}

/** Formats a finding like a compiler: `file:line:column: severity: message`. */
export function findingLine(
  { line, column, severity, path, message }: FileFinding,
  name: string,
  print: Printer,
  where: 'stdout' | 'stderr',
): string {
  const word = print.style(severity === 'error' ? 'red' : 'yellow', severity, where);
  return (
    printableLines(`${name}:${line}:${column}: `) +
    word +
    printableLines(`: ${path === '' ? '' : `${path}: `}${message}`)
  );
}

export function countText(findings: readonly FileFinding[]): string {
  const counted = (['error', 'warning'] as const).map((word) =>
    countOf(findings.filter(({ severity }) => severity === word).length, word),
  );
  return counted.join(', ');
}

const MAX_BYTES = 65_536;
const COMMAND_MS = 10_000;

/** Runs a command of "secrets", and returns its output without the final line break. */
const secretCommand =
  ({ env, signal }: Shell) =>
  ([program = '', ...args]: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { env: { ...env }, signal, timeout: COMMAND_MS, maxBuffer: MAX_BYTES, windowsHide: true };
      execFile(program, args, options, (failed, stdout) => {
        const found = stdout.replace(/\r?\n$/, '');
        // Leaves out the error message, which can contain the secret.
        if (failed !== null)
          reject(new Error(`the command ${program} of "secrets" failed; run it in a terminal to see why`));
        else if (found === '') reject(new Error(`the command ${program} of "secrets" printed nothing`));
        else resolve(found);
      });
    });
