/** `mooring prompt`: the messages of a prompt. */
import type { Client, PromptResult } from '../../client/index.ts';
import type { Prompt } from '../../model/parts.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { type OutputTarget, openOutputTarget, outputOptions } from '../content/output-target.ts';
import { showContent } from '../content/show-content.ts';
import { listOrThrow } from '../offer.ts';
import { answerOptions, QuestionAnswerer } from '../questions/answering.ts';
import { suggest } from '../suggest.ts';
import { openTarget } from '../target/open.ts';
import { targetOptions } from '../target/options.ts';
import { targetIn } from '../target/target.ts';
import { type RawArguments, readToolArguments } from '../tool-arguments/read-tool-arguments.ts';
import { toTexts } from '../tool-arguments/to-texts.ts';

export const promptCommand = command({
  name: 'prompt',
  usage: [
    '<target> <prompt> [key=value …]',
    '<target> <prompt> <JSON object | @file | ->',
    '<prompt> [key=value …] [options] -- <command> [argument …]',
  ],
  about: 'Fills in a prompt and prints its messages, each under its role. key=@file is what is in the file.',
  options: { ...outputOptions, ...answerOptions, ...targetOptions },
  examples: [
    ['mooring prompt https://example.com/mcp apology order=A-1041', 'prints the messages'],
    ['mooring prompt ./shop.ts review text=@draft.md --json', 'with the content of a file, for programs'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { values } = input;
    const { target, words } = await targetIn(input, shell);
    const [name, ...rest] = words;
    if (name === undefined) throw badArgument('<prompt>', 'it is missing; `mooring list` shows which there are');
    const given = await readToolArguments(rest, shell);
    const output = await openOutputTarget(values, shell);
    const answering = new QuestionAnswerer({ shell, print }, { label: target.label, answers: values.answer });
    await using client = await openTarget(target, { values, shell, print }, { connect: answering.connect });
    const args = argumentsOf(await promptCalled(name, client, shell.signal), given);
    return await answering.during(async (signal) => {
      await tell(await client.getPrompt(name, args, { signal }), { shell, print, output, called: name });
      return undefined;
    });
  },
});

async function promptCalled(name: string, client: Client, signal: AbortSignal): Promise<Prompt> {
  const prompts = await listOrThrow(client, 'prompts', signal);
  const found = prompts.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = prompts.map((one) => one.name);
  throw badArgument(name, `the server has no such prompt; ${suggest(name, names)}`);
}

function argumentsOf(
  { name, arguments: declared = [] }: Prompt,
  given: RawArguments,
): Readonly<Record<string, string>> {
  const texts = toTexts(given);
  const names = declared.map((one) => one.name);
  const shape = declared.map((one) => (one.required === true ? `${one.name}=<text>` : `[${one.name}=<text>]`));
  const wrong = (key: string, why: string): Error => badArgument(key, `${why}\n  ${[name, ...shape].join(' ')}`);
  for (const [key, all] of texts) {
    if (!names.includes(key))
      throw wrong(
        key,
        names.length === 0 ? 'the prompt takes no arguments' : `there is no such argument; ${suggest(key, names)}`,
      );
    if (all.length > 1) throw wrong(key, 'it is given twice, and takes one text');
  }
  const missing = declared.find((one) => one.required === true && !texts.has(one.name));
  if (missing !== undefined) {
    const about = missing.description === undefined ? '' : ` (${missing.description})`;
    throw wrong(missing.name, `it is missing; expected text${about}`);
  }
  return Object.fromEntries([...texts].map(([key, all]) => [key, all.join('')]));
}

interface PromptReport extends CommandContext {
  readonly output: OutputTarget | undefined;
  readonly called: string;
}

async function tell({ messages, description, meta }: PromptResult, telling: PromptReport): Promise<void> {
  const { print, output } = telling;
  const paths: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    print.line(`${at === 0 ? '' : '\n'}${print.style('bold', printable(role))}:`);
    paths.push(...(await showContent([content], telling)));
  }
  print.data({
    ...(description === undefined ? {} : { description }),
    messages,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    ...(output === undefined ? {} : { saved: paths }),
  });
}
