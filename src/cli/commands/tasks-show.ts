/** `mooring tasks show`: the state of a task, without waiting. */

import { printable } from '../../model/printable.ts';
import { rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { hostOptions } from '../host/host-settings.ts';
import { runOnHost } from '../host/run-on-host.ts';
import { answerOptions } from '../questions/question-answerer.ts';
import { findTask } from '../tasks/command-tickets.ts';

export const tasksShowCommand = command({
  usage: ['<id>'],
  about: `Show the state of a task without waiting for it.`,
  exits: [
    [0, 'the state was printed'],
    [2, 'no task has this id'],
  ],
  options: { ...answerOptions, ...hostOptions },
  examples: [['mooring tasks'], ['mooring tasks show 3f2a81c0']],
  async run(input, { shell, print }: CommandContext) {
    const [id, ...rest] = input.words;
    rejectExtra([...rest, ...(input.after ?? [])]);
    const { values } = input;
    const { ticket, target, tickets } = await findTask(id, input, shell);

    return runOnHost(target, { values, shell, print, tickets }, ticket.name, async (opened) => {
      const { task } = await opened.host.resume(ticket);
      for await (const { status, message = '' } of task.states({ signal: opened.request.signal })) {
        opened.endProgress();
        print.data({ status, ...(message === '' ? {} : { message }), ticket: task.ticket });
        print.line([status, printable(message)].filter((text) => text !== '').join('  '));
        break;
      }
      return undefined;
    });
  },
});
