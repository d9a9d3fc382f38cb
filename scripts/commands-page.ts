/** Generates the reference of the command line from the commands' help texts. */

import process from 'node:process';
import { Writable } from 'node:stream';
import { groups } from '../src/cli/commands.ts';
import { type ExitCode, exitCodes, exitMeanings } from '../src/cli/exit-codes.ts';
import { helpOf } from '../src/cli/help.ts';
import { Printer } from '../src/cli/printer.ts';
import { systemClock } from '../src/peer/clock.ts';

export async function commandsPage(): Promise<string> {
  const { stdin, stderr } = process;
  const shell = {
    // A fixed width, so that the page does not depend on the terminal.
    stdout: new Writable(),
    ...{ stdin, stderr, env: { NO_COLOR: '1' }, cwd: '', home: '', platform: '', clock: systemClock },
    ...{ signal: new AbortController().signal, self: { command: '', args: [] } },
  };
  const print = new Printer(shell, { json: false });
  const sections: string[] = [];
  for (const { title, commands } of groups) {
    sections.push(`## ${title}`);
    for (const { name, load } of commands)
      sections.push(`### mooring ${name}`, `\`\`\`text\n${helpOf(await load(), { shell, print })}\n\`\`\``);
  }
  return [...sections, '## Exit codes', exitTable()].join('\n\n');
}

/** Details of exit codes that the help omits. */
const details: ReadonlyMap<ExitCode, string> = new Map<ExitCode, string>([
  [
    exitCodes.usage,
    '. Nothing was started or written. An `--answer` that does not fit is known only when the server asks; the call is cancelled then. One that was never asked for is named after the result',
  ],
  [exitCodes.bug, ': please report it'],
]);

const exitTable = (): string =>
  [
    '| code | meaning |',
    '|---|---|',
    ...[...exitMeanings].map(([code, meaning]) => `| ${code} | ${meaning}${details.get(code) ?? ''} |`),
  ].join('\n');
