/** `/prompt`: the messages of a prompt, filled in. */
import { badArgument } from '../../arguments.ts';
import { suggest } from '../../suggest.ts';
import type { SlashCommand } from '../chat.ts';
import { contentLines } from '../shown.ts';

export const promptSlash: SlashCommand = {
  name: 'prompt',
  usage: '<name> [key=value …]',
  about: 'Show the messages of a prompt',
  completes: 'prompts',
  async run([name = '', ...words], { session, screen }, signal) {
    const names = (await session.catalogue.prompts()).map((one) => one.name);
    if (!names.includes(name))
      throw badArgument(`/prompt ${name}`.trim(), `there is no such prompt; ${suggest(name, names)}`);
    const { messages } = await session.prompt(name, typedTexts(words), { signal });
    screen.result(
      { type: 'prompt', name, messages },
      messages.flatMap(({ role, content }) => [
        screen.print.style('bold', role),
        ...contentLines([content]).map((line) => `  ${line}`),
      ]),
    );
    return undefined;
  },
};

/** Arguments of prompts are text, all of them. */
const typedTexts = (words: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw badArgument(word, 'expected key=value; quote values that have blanks: key="two words"');
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
