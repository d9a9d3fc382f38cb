/** `mooring skills list`: which skills a server lists. */
import { printable } from '../../model/printable.ts';
import { rejectExtra } from '../arguments.ts';
import { columns } from '../columns.ts';
import { type CommandContext, command } from '../command.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost } from '../host/open-host.ts';
import { targetIn } from '../target/target.ts';

export const skillsList = command({
  usage: ['<target> [options]', '[options] -- <command> [argument …]'],
  about: `List the skills of a server, without reading any of their files.

A server can have skills that it does not list. \`mooring skills show\` takes their URIs.`,
  options: hostOptions,
  examples: [['mooring skills list ./server.ts'], ['mooring skills list https://example.com/mcp --json']],
  async run(input, { shell, print }: CommandContext) {
    const { target, words } = await targetIn(input, shell);
    rejectExtra(words);
    const onWarning = (warning: string): void => print.note(printable(warning));
    await using opened = await openHost(
      target,
      { values: input.values, shell, print },
      { onWarning, needsSkills: true },
    );
    const skills = await opened.session.skills({ signal: shell.signal });
    print.data({ skills });
    if (skills.length === 0) print.line('The server lists no skills.');
    const rows = skills.map(({ uri, description }) => [printable(uri), printable(description)] as const);
    for (const line of columns(rows, shell.stdout, '')) print.line(line);
    return undefined;
  },
});
