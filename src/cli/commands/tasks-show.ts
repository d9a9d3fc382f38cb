/** `mooring tasks show`: the state of a task, without waiting. */
import { printable } from '../../model/printable.ts';
import { rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost } from '../host/open-host.ts';
import { findTask } from '../tasks/command-tickets.ts';

export const tasksShowCommand = command({
  usage: ['<id>'],
  about: `Show the state of a task without waiting for it.

Nothing is answered, and the ticket is kept: \`mooring tasks wait\` prints the result.`,
  exits: [
    [0, 'the state was printed'],
    [2, 'no task has this id'],
  ],
  options: hostOptions,
  examples: [['mooring tasks'], ['mooring tasks show 3f2a81c0']],
  async run(input, { shell, print }: CommandContext) {
    const [id, ...rest] = input.words;
    rejectExtra([...rest, ...(input.after ?? [])]);
    const { values } = input;
    const { ticket, target, tickets } = await findTask(id, input, shell);
    // A look must not use the ticket up.
    const kept = { ...tickets, put: async () => undefined, remove: async () => false };
    await using opened = await openHost(target, { values, shell, print }, { tickets: kept });
    const { task } = await opened.host.resume(ticket);
    task.result().catch(() => undefined);
    for await (const { status, message = '' } of task.states({ signal: shell.signal })) {
      print.data({ status, ...(message === '' ? {} : { message }), ticket: ticket.ticket });
      print.line([status, printable(message)].filter((text) => text !== '').join('  '));
      break;
    }
    return undefined;
  },
});
