/** `mooring chat`: a host in the terminal, with a model if there is one. */
import { ndjsonAudit } from '../../host/audit/ndjson-audit.ts';
import { badArgument } from '../arguments.ts';
import { auditKey } from '../audit/key.ts';
import { policyIn } from '../audit/policy.ts';
import { modelFrom } from '../chat/model.ts';
import { type ChatOptions, runChat } from '../chat/run-chat.ts';
import { sourcesIn } from '../chat/sources.ts';
import { usualPolicy } from '../chat/usual-policy.ts';
import { type CommandContext, command } from '../command.ts';
import { targetOptions } from '../target/options.ts';
import { terminalAuth } from '../target/sign-in.ts';
import { pathFrom } from '../target/target.ts';

const { revision: _one, ...everyTarget } = targetOptions;

export const chat = command({
  name: 'chat',
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
    policy: {
      type: 'string',
      value: 'module',
      about: 'Rules that decide instead of asking every time: a module that exports some',
    },
    audit: {
      type: 'string',
      value: 'file',
      about:
        'Write everything that is done to an audit log, keyed with MOORING_AUDIT_KEY if it is set; `mooring audit verify` checks it',
    },
    ...everyTarget,
  },
  examples: [
    ['mooring chat', 'with all configured servers'],
    ['mooring chat https://example.com/mcp -- node shop.js', 'with these two'],
    ['mooring chat shop --model openai:<name> --audit audit.ndjson', 'with this model, on record'],
    ["echo '/call shop.status order=A-1' | mooring chat shop --policy rules.js", 'without anybody to ask'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const { values } = input;
    const model = modelFrom(shell, values.model);
    const timeouts = timeoutsFrom(values.timeout);
    const policy = values.policy === undefined ? usualPolicy : await policyIn(values.policy, shell);
    const { servers, inputs, secrets } = await sourcesIn(input, { values, shell, print });
    const audit =
      values.audit === undefined ? undefined : ndjsonAudit(pathFrom(shell, values.audit), { key: auditKey(shell) });
    // A file that cannot be written is told before anything is started.
    await audit?.checkpoint();
    const auth = terminalAuth({ shell, print });
    const options: ChatOptions = {
      ...{ servers, policy, inputs, secrets, timeouts, verbose: values.verbose === true },
      ...(model === undefined ? {} : { model }),
      ...(audit === undefined ? {} : { audit }),
      ...(auth === undefined ? {} : { auth }),
    };
    return runChat(options, { shell, print });
  },
});

function timeoutsFrom(timeout: string | undefined): NonNullable<ChatOptions['timeouts']> {
  if (timeout === undefined) return {};
  const ms = Number(timeout) * 1000;
  if (!(ms > 0)) throw badArgument(`--timeout ${timeout}`, 'expected a number of seconds');
  return { connectTimeoutMs: ms, timeoutMs: ms };
}
