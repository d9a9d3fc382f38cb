/** `mooring chat`: a host in the terminal, with or without a model. */
import { rules } from '../../host/index.ts';
import { badArgument } from '../arguments.ts';
import { modelFrom } from '../chat/model.ts';
import { runChat } from '../chat/run-chat.ts';
import { command, withValue } from '../command.ts';
import { gateSettings } from '../host/gate-settings.ts';
import { findLock, hostOptions, hostSettings, labelTargets } from '../host/host-settings.ts';
import type { TargetInput } from '../target/options.ts';
import { type CommandTarget, configuredTargets, typedTargets } from '../target/target.ts';

export const chat = command('chat', {
  usage: ['[<target> …]', '[<target> …] [options] -- <command> [argument …]'],
  about: `Talk to servers in the terminal, with or without a model.

Lines that begin with / are commands: /tools, /call, /read, /prompt, /servers, /explain; /help lists them all. Every other line goes to the model, which can use the tools. Chat asks you before the model calls a tool.

Without a target, chat opens all configured servers. In scripts, chat reads lines from standard input, declines every question, and exits with the code of the first line that failed.`,
  options: {
    model: withValue(
      'provider:name',
      'anthropic:<name> or openai:<name>, with ANTHROPIC_API_KEY, or OPENAI_API_KEY and OPENAI_BASE_URL (default: MOORING_MODEL)',
    ),
    ...hostOptions,
  },
  examples: [
    ['mooring chat', 'all configured servers'],
    ['mooring chat https://example.com/mcp -- node shop.js', 'these two'],
    ['mooring chat shop --model openai:<name> --audit audit.ndjson'],
    ["echo '/call shop.status order=A-1' | mooring chat shop --policy rules.js"],
  ],
  async run(input) {
    const { values, shell } = input;
    const model = modelFrom(shell, values.model);
    const lock = await findLock(input);
    const targets = labelTargets(await chatTargets(input), lock);
    const settings = hostSettings(targets, input, lock);
    const gate = await gateSettings(input, { targets, allowed: chatRules });
    const verbose = values.verbose === true;
    return runChat({ ...settings, ...gate, targets, verbose, ...(model === undefined ? {} : { model }) }, input);
  },
});

/** Allowed without a question, because only the user requests them. Tool calls, which a model can make, are not in this list. */
export const chatRules = [rules.allow({ kind: ['resource', 'prompt', 'completion', 'elicitation'] })];

/** Throws `MCP_BAD_ARGUMENT` or `MCP_BAD_CONFIG`. Does not start or connect to servers. */
async function chatTargets(input: TargetInput): Promise<readonly CommandTarget[]> {
  const named = await typedTargets(input);
  const targets = named.length > 0 ? named : await configuredTargets(input);
  if (targets.length > 0) return targets;
  throw badArgument(
    '<target>',
    'no server is configured here; name a URL, module, configured server, or command after --',
  );
}
