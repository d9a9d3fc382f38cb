/** `/prompt`: the messages of a prompt, filled in. */
import { suggest } from '../../../model/suggest.ts';
import { badArgument } from '../../arguments.ts';
import { showPrompt } from '../../content/show-results.ts';
import { readToolArguments } from '../../tool-arguments/read-tool-arguments.ts';
import { promptArguments } from '../../tool-arguments/text-arguments.ts';
import type { SlashCommand } from '../chat.ts';

export const promptSlash: SlashCommand = {
  name: 'prompt',
  usage: '<name> [key=value …]',
  about: 'Show the messages of a prompt',
  completes: 'prompts',
  async run([name = '', ...words], { session, screen, shell }, signal) {
    const prompts = await session.catalogue.prompts();
    const prompt = prompts.find((one) => one.name === name);
    if (prompt === undefined) {
      const names = prompts.map((one) => one.name);
      throw badArgument(`/prompt ${name}`.trim(), `there is no such prompt; ${suggest(name, names)}`);
    }
    if (words.includes('-')) throw badArgument('-', 'expected key=value, or one JSON object');
    const args = promptArguments({ ...prompt.definition, name }, await readToolArguments(words, shell));
    const result = await session.prompt(name, args, { signal });
    const { sink, lines } = screen.collect();
    await showPrompt(result, { sink, name });
    screen.result({ type: 'prompt', name, messages: result.messages }, lines);
  },
};
