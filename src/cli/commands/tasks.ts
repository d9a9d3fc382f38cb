/** `mooring tasks`: lists, shows, awaits and cancels tasks that `mooring call` started. */
import { printable } from '../../model/printable.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { rejectWords } from '../arguments.ts';
import { table } from '../columns.ts';
import { command } from '../command.ts';
import { openOutputTarget, outputOptions } from '../content/output-target.ts';
import { printToolResult } from '../content/show-results.ts';
import { hostOptions } from '../host/host-settings.ts';
import { openHost, runOnHost } from '../host/open-host.ts';
import { answerOptions } from '../questions/question-answerer.ts';
import { findTask, listTickets, shortId } from '../tasks/command-tickets.ts';
import { waitForTask } from '../tasks/wait-for-task.ts';

export const tasksCommand = command('tasks', {
  usage: ['', 'show <id>', 'wait <id>', 'cancel <id>'],
  about: `List tasks that \`mooring call\` started and whose result was not fetched yet.

This command connects to no server. Each task has a ticket, a file that only you can read. A ticket contains no arguments or answers of the call. It does contain the URL or command of the server as you typed it, so keep secrets out of that.`,
  options: {},
  examples: [
    ['mooring call https://studio.example/mcp render scene=7 --detach'],
    ['mooring tasks'],
    ['mooring tasks wait 3f2a81c0'],
  ],
  async run(input) {
    const { shell, print } = input;
    rejectWords(input);
    const tickets = await listTickets(shell);
    print.data({ tasks: tickets.map(({ id, server, name, ticket }) => ({ id, server, name, ticket })) });
    const rows = tickets.map((one) => {
      const { word, after = [] } = one.typed;
      const facts = [one.ticket.tool, maskSecrets(word ?? after.join(' ')), one.ticket.createdAt];
      return [shortId(one), ...facts.map((fact) => printable(fact))];
    });
    for (const line of table(rows)) print.line(line);
    if (rows.length === 0) print.line('No tasks. Start one with `mooring call <target> <tool> --detach`.');
    return undefined;
  },
});

export const tasksShow = command('tasks show', {
  usage: ['<id>'],
  about: `Show the state of a task without waiting for it.

Questions of the task stay open, and the ticket is kept. \`mooring tasks wait\` asks them in the terminal and prints the result.`,
  exits: [
    [0, 'the state was printed'],
    [2, 'unknown task id'],
  ],
  options: hostOptions,
  examples: [['mooring tasks'], ['mooring tasks show 3f2a81c0']],
  async run(input) {
    const { shell, print } = input;
    const { ticket, target, tickets } = await findTask(input);
    // Read-only store: showing the state must not consume the ticket.
    const readOnly = { ...tickets, put: async () => undefined, remove: async () => false };
    await using opened = await openHost(target, input, { tickets: readOnly });
    const { task } = await opened.host.resume(ticket);
    task.result().catch(() => undefined);
    for await (const { status, message } of task.states({ signal: shell.signal })) {
      print.data({ status, message, ticket: ticket.ticket });
      print.line(message === undefined ? status : `${status}  ${printable(message)}`);
      break;
    }
  },
});

export const tasksWait = command('tasks wait', {
  usage: ['<id>'],
  about: `Wait for a task and print its result.

Questions of the task are asked in the terminal. Ctrl-C stops waiting and does not cancel the task.`,
  exits: [
    [0, 'the tool succeeded'],
    [1, 'the tool failed, or the task was cancelled'],
    [2, 'unknown task id'],
  ],
  options: { ...outputOptions, ...answerOptions, ...hostOptions },
  examples: [['mooring tasks'], ['mooring tasks wait 3f2a81c0']],
  async run(input) {
    const { shell, print } = input;
    const { ticket, target, tickets } = await findTask(input);
    const output = await openOutputTarget(input.values, shell);
    return runOnHost(target, { ...input, tickets }, ticket.name, async (opened) => {
      const { task } = await opened.host.resume(ticket);
      const result = await waitForTask(task, opened, { print, target });
      opened.endProgress();
      return printToolResult(result, ticket.name, { shell, print, output });
    });
  },
});

export const tasksCancel = command('tasks cancel', {
  usage: ['<id>'],
  about: 'Ask the server to stop a task, and remove its ticket.',
  exits: [
    [0, 'the request was sent to the server'],
    [2, 'unknown task id'],
  ],
  options: { ...answerOptions, ...hostOptions },
  examples: [['mooring tasks'], ['mooring tasks cancel 3f2a81c0']],
  async run(input) {
    const { print } = input;
    const { ticket, target, tickets } = await findTask(input);
    // Without `put`: a late state update must not store the ticket again.
    const withoutPut = { ...tickets, put: async () => undefined };
    return runOnHost(target, { ...input, tickets: withoutPut }, ticket.name, async (opened) => {
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
