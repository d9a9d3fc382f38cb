/** `mooring prompt`: renders a prompt and prints its messages. */
import { badArgument } from '../arguments.ts';
import { command } from '../command.ts';
import { openOutputTarget, outputOptions } from '../content/output-target.ts';
import { commandSink } from '../content/show-content.ts';
import { showPrompt, unlessEmpty } from '../content/show-results.ts';
import { hostOptions } from '../host/host-settings.ts';
import { findDefinition, runOnHost } from '../host/open-host.ts';
import { answerOptions } from '../questions/question-answerer.ts';
import { targetIn } from '../target/target.ts';
import { readToolArguments } from '../tool-arguments/read-tool-arguments.ts';
import { promptArguments } from '../tool-arguments/text-arguments.ts';

export const promptCommand = command('prompt', {
  usage: [
    '<target> <prompt> [key=value …]',
    '<target> <prompt> <JSON | @file | ->',
    '<prompt> [key=value …] [options] -- <command> [argument …]',
  ],
  about: `Render a prompt and print its messages.

Arguments are text: key=value, or key=@file for the contents of a file.`,
  options: { ...outputOptions, ...answerOptions, ...hostOptions },
  examples: [
    ['mooring prompt https://example.com/mcp apology order=A-1041'],
    ['mooring prompt ./shop.ts review text=@draft.md --json'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const { target, words } = await targetIn(input);
    const [name, ...rest] = words;
    if (name === undefined) throw badArgument('<prompt>', 'expected the name of a prompt; `mooring list` shows them');
    const given = await readToolArguments(rest, shell);
    const output = await openOutputTarget(values, shell);
    return runOnHost(target, input, name, async (opened) => {
      const args = promptArguments(await findDefinition('prompts', name, opened), given);
      const result = await opened.session.prompt(`${opened.label}.${name}`, args, opened.request);
      opened.endProgress();
      const sink = commandSink({ print, shell });
      const saved = await showPrompt(result, { sink, output, name, saveHint: 'use --out to save it' });
      const { messages, description, meta } = result;
      print.data({ description, messages, _meta: unlessEmpty(meta), saved: output && saved });
      return undefined;
    });
  },
});
