/** `mooring tasks cancel`: asks a server to stop a task. */
import { rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';

import { hostOptions } from '../host/host-settings.ts';
import { runOnHost } from '../host/run-on-host.ts';

import { answerOptions } from '../questions/question-answerer.ts';
import { findTask } from '../tasks/command-tickets.ts';

export const tasksCancelCommand = command({
  usage: ['<id>'],
  about: `Ask the server to stop a task, and remove its ticket.`,
  exits: [
    [0, 'the server was asked'],
    [2, 'no task has this id'],
  ],
  options: { ...answerOptions, ...hostOptions },
  examples: [['mooring tasks'], ['mooring tasks cancel 3f2a81c0']],
  async run(input, { shell, print }: CommandContext) {
    const [id, ...rest] = input.words;
    rejectExtra([...rest, ...(input.after ?? [])]);
    const { values } = input;
    const { ticket, target, tickets } = await findTask(id, input, shell);
    // What the server says of the end must not bring the ticket back.
    const left = { ...tickets, put: async () => undefined };
    return runOnHost(target, { values, shell, print, tickets: left }, ticket.name, async (opened) => {
      const { task } = await opened.host.resume(ticket);
      task.result().catch(() => undefined);
      await task.cancel();
      await tickets.remove(ticket.id);
      opened.endProgress();
      print.data({ cancelled: ticket.id });
      print.line('The server was asked to stop the task.');
      return undefined;
    });
  },
});
