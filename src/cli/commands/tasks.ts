/** `mooring tasks`: the tasks that this user began and that have not been waited for. */
import { printable } from '../../model/printable.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { table } from '../printer.ts';
import { listTickets, shortId } from '../tasks/command-tickets.ts';

export const tasksCommand = command({
  usage: ['', 'show <id>', 'wait <id>', 'cancel <id>'],
  about: `List tasks that \`mooring call\` began and whose result was not fetched yet.

This command connects to no server. Tickets are files that only you can read. They hold no arguments and no answers of the call, but the URL or the command of the server as you typed it: keep secrets out of it.`,
  options: {},
  examples: [
    ['mooring call https://studio.example/mcp render scene=7 --detach'],
    ['mooring tasks'],
    ['mooring tasks wait 3f2a81c0'],
  ],
  async run({ words, after }, { shell, print }: CommandContext) {
    rejectExtra([...words, ...(after ?? [])]);
    const tickets = await listTickets(shell);
    print.data({ tasks: tickets.map(({ id, server, name, ticket }) => ({ id, server, name, ticket })) });
    const rows = tickets.map((one) => {
      const { word, after = [] } = one.typed;
      const facts = [one.ticket.tool, maskSecrets(word ?? after.join(' ')), one.ticket.createdAt];
      return [shortId(one), ...facts.map((fact) => printable(fact))];
    });
    for (const line of table(rows)) print.line(line);
    if (rows.length === 0) print.line('No task is under way. Begin one with `mooring call <target> <tool> --detach`.');
    return undefined;
  },
});
