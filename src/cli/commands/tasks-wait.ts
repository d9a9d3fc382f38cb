/** `mooring tasks wait`: waits for a task, and prints its result. */
import { rejectExtra } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { openOutputTarget, outputOptions } from '../content/output-target.ts';
import { hostOptions } from '../host/host-settings.ts';
import { runOnHost } from '../host/run-on-host.ts';
import { answerOptions } from '../questions/question-answerer.ts';
import { findTask } from '../tasks/command-tickets.ts';
import { printToolResult } from '../tasks/show-task-result.ts';
import { waitForTask } from '../tasks/wait-for-task.ts';

export const tasksWaitCommand = command({
  usage: ['<id>'],
  about: `Wait for a task and print its result.

Questions of the task are asked in the terminal. Ctrl-C ends the waiting, and the task works on.`,
  exits: [
    [0, 'the tool succeeded'],
    [1, 'the tool failed, or the task was cancelled'],
    [2, 'no task has this id'],
  ],
  options: { ...outputOptions, ...answerOptions, ...hostOptions },
  examples: [['mooring tasks'], ['mooring tasks wait 3f2a81c0']],
  async run(input, { shell, print }: CommandContext) {
    const [id, ...rest] = input.words;
    rejectExtra([...rest, ...(input.after ?? [])]);
    const { values } = input;
    const { ticket, target, tickets } = await findTask(id, input, shell);
    const output = await openOutputTarget(values, shell);
    return runOnHost(target, { values, shell, print, tickets }, ticket.name, async (opened) => {
      const { task } = await opened.host.resume(ticket);
      const result = await waitForTask(task, opened, { print, target });
      opened.endProgress();
      return printToolResult(result, ticket.name, { shell, print, output });
    });
  },
});
