/** `/call` and `/prompt`: arguments as in `mooring call`; the policy applies as it does to the model's calls. */
import type { CatalogueTool } from '../../../host/index.ts';
import type { JsonObject } from '../../../jsonrpc/message.ts';
import { printable } from '../../../model/printable.ts';
import { suggest } from '../../../model/suggest.ts';
import { badArgument } from '../../arguments.ts';
import { showPrompt, showToolResult } from '../../content/show-results.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { Report } from '../../progress-text.ts';
import { argumentsFor } from '../../tool-arguments/arguments-for.ts';
import { readToolArguments } from '../../tool-arguments/read-tool-arguments.ts';
import { promptArguments } from '../../tool-arguments/text-arguments.ts';
import { askModel } from '../agent.ts';
import type { Chat, SlashCommand } from '../chat.ts';

export const callSlash: SlashCommand = {
  name: 'call',
  usage: '<tool> [key=value …]',
  about: 'Call a tool; also key:=JSON, key=@file, or all arguments as one JSON object',
  completes: 'tools',
  async run([name = '', ...words], chat, signal) {
    const tools = await chat.session.catalogue.tools();
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw badArgument(`/call ${name}`.trim(), unknownTool(name, tools));
    const args = await argumentsIn(words, tool, chat);
    const bar = chat.screen.progress(printable(name));
    try {
      const request = { signal, onProgress: (report: Report): void => bar.update(report) };
      const typed = { server: tool.server, name: tool.definition.name };
      const result = await chat.typed.run(typed, () => chat.session.call(name, args, request));
      bar.end();
      const { act, isError, content, data } = result;
      const { sink, lines } = chat.screen.collect();
      await showToolResult(result, { sink, name });
      chat.screen.result({ type: 'result', tool: name, act, isError, content, data }, lines);
      noteAct(act, chat);
      return isError ? exitCodes.no : undefined;
    } finally {
      bar.end();
    }
  },
};

/** As in `mooring call`, except `-`: stdin supplies the next lines of the chat. */
async function argumentsIn(
  words: readonly string[],
  { name, definition }: CatalogueTool,
  chat: Chat,
): Promise<JsonObject> {
  if (words.includes('-')) throw badArgument('-', 'expected key=value, or one JSON object');
  const whole = words[0]?.startsWith('{') === true ? [words.join(' ')] : words;
  const given = await readToolArguments(whole, chat.shell);
  return argumentsFor({ ...definition, name }, given, (why) => chat.screen.note(printable(why)));
}

const unknownTool = (name: string, tools: readonly { readonly name: string }[]): string => {
  const names = tools.map((one) => one.name);
  return name === '' ? `expected a tool; ${suggest('', names)}` : `unknown tool; ${suggest(name, names)}`;
};

/** Prints the number to use with `/explain`. */
function noteAct(id: string, { acts, screen }: Chat): void {
  const number = acts.numberOf(id);
  if (number !== undefined && !screen.print.json)
    screen.note(screen.print.style('dim', `action ${number}; /explain ${number} shows who allowed it`, 'stderr'));
}

export const promptSlash: SlashCommand = {
  name: 'prompt',
  usage: '<name> [key=value …]',
  about: 'Show the messages of a prompt, and send them to the model',
  completes: 'prompts',
  async run([name = '', ...words], chat, signal) {
    const { session, screen, shell } = chat;
    const prompts = await session.catalogue.prompts();
    const prompt = prompts.find((one) => one.name === name);
    if (prompt === undefined) {
      const names = prompts.map((one) => one.name);
      throw badArgument(`/prompt ${name}`.trim(), `unknown prompt; ${suggest(name, names)}`);
    }
    if (words.includes('-')) throw badArgument('-', 'expected key=value, or one JSON object');
    const args = promptArguments({ ...prompt.definition, name }, await readToolArguments(words, shell));
    const result = await session.prompt(name, args, { signal });
    const { sink, lines } = screen.collect();
    await showPrompt(result, { sink, name });
    screen.result({ type: 'prompt', name, messages: result.messages }, lines);
    return chat.hasModel ? askModel(result, chat, signal) : undefined;
  },
};
