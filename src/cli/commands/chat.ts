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
  about: `Talk to servers in the terminal, with or without a model.

Lines that begin with / are commands: /tools, /call, /read, /prompt, /servers, /explain; /help lists them all. Every other line goes to the model, which can use the tools. Chat asks you before the model calls a tool.

Without a target, chat opens all configured servers. In scripts, chat reads lines from standard input, declines what it would have to ask, and exits with the code of the first line that failed.`,
  options: {
    model: {
      type: 'string',
      value: 'provider:name',
      about:
        'anthropic:<name> or openai:<name>, with ANTHROPIC_API_KEY, or OPENAI_API_KEY and OPENAI_BASE_URL (default: MOORING_MODEL)',
    },
    ...hostOptions,
  },
  examples: [
    ['mooring chat', 'all configured servers'],
    ['mooring chat https://example.com/mcp -- node shop.js', 'these two'],
    ['mooring chat shop --model openai:<name> --audit audit.ndjson'],
    ["echo '/call shop.status order=A-1' | mooring chat shop --policy rules.js"],
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
