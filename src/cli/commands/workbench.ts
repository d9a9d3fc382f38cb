/** `mooring workbench`: a page that shows, tries and explains everything that servers and the host do. */
import { isIP } from 'node:net';
import { join } from 'node:path';
import { fileTickets, rules } from '../../host/index.ts';
import { badArgument } from '../arguments.ts';
import { type CommandContext, command } from '../command.ts';
import { gateSettings } from '../host/gate-settings.ts';
import { hostOptions, hostSettings, labelTargets } from '../host/host-settings.ts';
import { stateFolder } from '../state-folder.ts';
import { configuredServers, pathFrom, targetIn, targetOf } from '../target/target.ts';
import { runWorkbench, typedCommands } from '../workbench/run-workbench.ts';
import { workbenchModel } from '../workbench/workbench-model.ts';
import { chatRules } from './chat.ts';

export const workbench = command({
  usage: ['[<target> …]', '[<target> …] [options] -- <command> [argument …]'],
  about: `Open a page that shows, tries and explains everything that servers do.

The page is served on this machine only, and works offline. It lists the servers that you name and all configured ones; those that you name are opened at once. What a page asks to start, you allow in this terminal. Ctrl-C ends everything.`,
  options: {
    port: { type: 'string', value: 'number', about: 'Listen on this port (default: a free one)' },
    'no-browser': { type: 'boolean', about: 'Print the URL and open no browser' },
    record: { type: 'string', value: 'file', about: 'Record the messages of the first target to this file' },
    open: { type: 'string', value: 'recording', about: 'Open a recording, to look at any moment of it' },
    model: {
      type: 'string',
      value: 'script or provider:name',
      about:
        'A script (YAML) or a provider for the chat and for servers that ask a model (default: MOORING_MODEL, or you)',
    },
    exit: { type: 'boolean', about: 'Exit when no page was open for ten minutes' },
    'dangerously-listen': {
      type: 'string',
      value: 'address',
      about: 'Listen on this address instead of 127.0.0.1: everyone who reaches it can try tokens',
    },
    ...hostOptions,
  },
  examples: [
    ['mooring workbench ./server.ts'],
    ['mooring workbench', 'all configured servers, none of them started'],
    ['mooring workbench https://example.com/mcp --record session.ndjson'],
    ['mooring workbench --open session.ndjson', 'a recorded session'],
    ['mooring workbench ./server.ts --json', 'prints the URL as JSON, for scripts'],
  ],
  async run(input, context: CommandContext) {
    const { values } = input;
    const { shell } = context;
    const by = { values, ...context };
    const named = await Promise.all(input.words.map((word) => targetOf(word, input, shell)));
    if (input.after !== undefined) named.push((await targetIn({ ...input, words: [] }, shell)).target);
    const { servers: configured } = await configuredServers(input, shell);
    const others = Object.entries(configured).flatMap(([label, source]) =>
      named.some((one) => one.source.from !== undefined && one.name === label) ? [] : [{ label, name: label, source }],
    );
    const targets = labelTargets([...named, ...others]);
    const connect = [...targets].flatMap(([label, target]) => (named.includes(target) ? [label] : []));
    const { servers, inputs: _inputs, auth: _auth, ...host } = hostSettings(targets, by);
    const confirmed = new Set<string>();
    const { policy, audit, approvals } = await gateSettings(by, {
      targets,
      opened: [typedCommands(confirmed)],
      allowed: [...chatRules, rules.allow({ kind: 'skill' })],
    });
    const auditFile = values.audit ?? shell.env['MOORING_AUDIT'] ?? '';
    return runWorkbench(
      {
        servers,
        host: {
          ...host,
          ...(approvals === undefined ? {} : { approvals }),
          ...{
            apps: true,
            skills: true,
            tasks: true,
            tickets: fileTickets(join(stateFolder(shell), 'workbench-tickets')),
          },
          roots: Object.fromEntries([...targets.keys()].map((label) => [label, []])),
        },
        policy,
        policyName: values.policy ?? 'usual',
        audit: audit === undefined ? undefined : Object.assign(audit, { path: pathFrom(shell, auditFile) }),
        ...{ connect, confirmed },
        model: await workbenchModel(values.model, shell),
        port: portIn(values.port),
        address: addressIn(values['dangerously-listen']),
        opensBrowser: values['no-browser'] !== true && !context.print.json,
        exits: values.exit === true,
        record: values.record,
        open: values.open,
      },
      context,
    );
  },
});

function portIn(port = '0'): number {
  const number = Number(port);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw badArgument(`--port ${port}`, 'expected a number from 0 to 65535');
}

/** One address: all of them would offer the page to every network that this machine is in. */
function addressIn(address = '127.0.0.1'): string {
  if (isIP(address) !== 0 && !/^(?:0\.0\.0\.0|\[?::(?:0|ffff:0\.0\.0\.0)?\]?|0*(?::0*)*)$/.test(address))
    return address;
  throw badArgument(`--dangerously-listen ${address}`, 'expected one IP address of this machine, and not all of them');
}
