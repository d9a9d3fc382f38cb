/** `mooring call`: calls a tool and prints its result. */
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { command, flag } from '../command.ts';
import { openOutputTarget, outputOptions } from '../content/output-target.ts';
import { printToolResult } from '../content/show-results.ts';
import { exitCodes } from '../exit-codes.ts';
import { hostOptions } from '../host/host-settings.ts';
import { findDefinition, openHost, runOnHost } from '../host/open-host.ts';
import { offerOfClient } from '../offer.ts';
import { answerOptions } from '../questions/question-answerer.ts';
import { showItem } from '../signature/describe-item.ts';
import { targetIn } from '../target/target.ts';
import { shortId, ticketsFor } from '../tasks/command-tickets.ts';
import { comeBackText, waitForTask } from '../tasks/wait-for-task.ts';
import { argumentsFor } from '../tool-arguments/arguments-for.ts';
import { readToolArguments } from '../tool-arguments/read-tool-arguments.ts';

export const callCommand = command('call', {
  usage: [
    '<target> <tool> [key=value …]',
    '<target> <tool> <JSON | @file | ->',
    '<tool> [key=value …] [options] -- <command> [argument …]',
  ],
  about: `Call a tool and print its result.

Arguments are converted to the types of the tool's schema:
  order=A-1041       text, number or boolean
  tag=new tag=red    a list: repeat the key
  address.city=Oslo  a property of an object
  max:=5             JSON
  image=@photo.png   the contents of a file

With a tool and --help, call prints the signature of the tool. If the tool asks a question, answer it in the terminal, or pass --answer in scripts.

A server can run a call as a task. Ctrl-C then stops waiting and does not cancel the task; \`mooring tasks wait\` waits for it again.`,
  exits: [
    [0, 'the tool succeeded'],
    [1, 'the tool failed'],
    [2, 'an argument or --answer is wrong'],
  ],
  options: {
    detach: flag('Print the task id and exit, if the server runs the call as a task'),
    ...outputOptions,
    ...answerOptions,
    ...hostOptions,
  },
  examples: [
    ['mooring call https://example.com/mcp refund order=A-1041'],
    ['mooring call ./shop.ts search tag=new tag=red max:=5'],
    ['mooring call ./shop.ts refund --help', 'parameters of one tool'],
    ['mooring call shop order \'{"lines": [{"sku": 1}]}\''],
    ['mooring call shop resize image=@photo.png --out small.png'],
    ['echo \'{"a": 1}\' | mooring call add - -- node calculator.js'],
  ],
  async explain(input) {
    const named = input.after === undefined ? input.words[1] : input.words[0];
    if (named === undefined) return undefined;
    const { target } = await targetIn(input);
    await using opened = await openHost(target, input);
    const offer = await offerOfClient(opened.client, input.shell.signal);
    return (await showItem(named, offer, input)) ?? exitCodes.done;
  },
  async run(input) {
    const { values, shell, print } = input;
    const { target, words } = await targetIn(input);
    const [name, ...rest] = words;
    if (name === undefined) throw badArgument('<tool>', 'expected the name of a tool; `mooring list` shows them');
    const given = await readToolArguments(rest, shell);
    const output = await openOutputTarget(values, shell);
    const tickets = ticketsFor(input);
    return runOnHost(target, { ...input, tickets }, name, async (opened) => {
      const tool = await findDefinition('tools', name, opened);
      const args = await argumentsFor(tool, given, (why) => print.note(printable(why)));
      const { task } = await opened.session.start(`${opened.label}.${name}`, args, opened.request);
      if (values.detach === true && task.ticket !== undefined) {
        opened.endProgress();
        print.data(task.ticket);
        print.line(comeBackText(shortId(task.ticket), target));
        task.result().catch(() => undefined);
        return undefined;
      }
      const result = await waitForTask(task, opened, { print, target });
      opened.endProgress();
      if (values.detach === true) print.note('--detach had no effect: the server did not run the call as a task.');
      return printToolResult(result, name, { shell, print, output });
    });
  },
});
