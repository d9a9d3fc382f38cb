/** The page on the command line, made of the help that the commands give themselves. */

import process from 'node:process';
import { groups } from '../src/cli/commands.ts';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { helpOf } from '../src/cli/help.ts';
import { Printer } from '../src/cli/printer.ts';
import { systemClock } from '../src/peer/clock.ts';

export async function commandsPage(): Promise<string> {
  const { stdin, stdout, stderr } = process;
  const shell = {
    ...{ stdin, stdout, stderr, env: { NO_COLOR: '1' }, cwd: '', home: '', platform: '', clock: systemClock },
    ...{ signal: new AbortController().signal, self: { command: '', args: [] } },
  };
  const print = new Printer(shell, { json: false });
  const sections: string[] = [];
  for (const { title, commands } of groups) {
    sections.push(`## ${title}`);
    for (const { name, summary, load } of commands)
      sections.push(`### mooring ${name}`, `${summary}.`, `\`\`\`text\n${helpOf(await load(), print)}\n\`\`\``);
  }
  return [...sections, '## Exit codes', exitTable()].join('\n\n');
}

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'What was asked for was done',
  no: 'It was done, and the answer is no: a tool failed, a check found something, a rule or a person refused',
  usage:
    'The command, a file or an argument is wrong; nothing was started and nothing was written. An `--answer` that does not fit is known only when the server asks: the call is cancelled then, and one that was never asked for is named after the result',
  offline: 'The server cannot be reached, or went away',
  auth: 'The server wants other credentials, or any at all',
  protocol: 'The server does not speak as the protocol says',
  process: "The server's process could not be started, or ended",
  bug: 'A mistake of ours: please report it',
  interrupted: 'Ctrl-C, before it was done',
};

const exitTable = (): string =>
  [
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(meanings).map(
      ([name, meaning]) => `| ${exitCodes[name as keyof typeof exitCodes]} | ${meaning} |`,
    ),
  ].join('\n'); // the same keys
