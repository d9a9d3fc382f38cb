/** `mooring chat`: a host in the terminal, with a model if there is one. */
import { rules } from '../../host/index.ts';
import { chatTargets } from '../chat/chat-targets.ts';
import { modelFrom } from '../chat/model.ts';
import { runChat } from '../chat/run-chat.ts';
import { type CommandContext, command } from '../command.ts';
import { gateSettings } from '../host/gate-settings.ts';
import { hostOptions, hostSettings, labelTargets } from '../host/host-settings.ts';

export const chat = command({
  usage: ['[<target> …]', '[<target> …] [options] -- <command> [argument …]'],
  about:
    'Opens servers and talks to them in the terminal: /tools, /call, /read, /prompt, /servers, /explain; /help lists them. Everything\n' +
    'else is for a model, which works with the tools. What it wants to do is shown before it is done, and you say yes or no.\n' +
    'Without a target, all configured servers are opened. Without a terminal, lines are read from standard input, what would have\n' +
    'to be asked is refused, and the command ends as the first line did that went wrong.',
  options: {
    model: {
      type: 'string',
      value: 'provider:name',
      about:
        'anthropic:<name> or openai:<name>, or MOORING_MODEL; keys are in ANTHROPIC_API_KEY, or OPENAI_API_KEY with OPENAI_BASE_URL',
    },
    ...hostOptions,
  },
  examples: [
    ['mooring chat', 'with all configured servers'],
    ['mooring chat https://example.com/mcp -- node shop.js', 'with these two'],
    ['mooring chat shop --model openai:<name> --audit audit.ndjson', 'with this model, on record'],
    ["echo '/call shop.status order=A-1' | mooring chat shop --policy rules.js", 'without a terminal'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { values } = input;
    const by = { values, shell, print };
    const model = modelFrom(shell, values.model);
    const targets = labelTargets(await chatTargets(input, by));
    const settings = hostSettings(targets, by);
    const gate = await gateSettings(by, { targets, allowed: chatRules });
    const verbose = values.verbose === true;
    return runChat({ ...settings, ...gate, targets, verbose, ...(model === undefined ? {} : { model }) }, by);
  },
});

/** A model's calls are asked about. These the user alone asks for, and a form is sent by the user who filled it in. */
export const chatRules = [rules.allow({ kind: ['resource', 'prompt', 'completion', 'elicitation'] })];
