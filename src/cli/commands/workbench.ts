/** `mooring workbench`: serves a page for exploring and debugging servers. */
import { isIP } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { readFileText } from '../../files/read-file.ts';
import { fileTickets, rules } from '../../host/index.ts';
import type { WorkbenchOptions } from '../../workbench/workbench-core.ts';
import { badArgument, portIn } from '../arguments.ts';
import { modelFrom } from '../chat/model.ts';
import { command, flag, withValue } from '../command.ts';
import { gateSettings } from '../host/gate-settings.ts';
import { findLock, hostOptions, hostSettings, labelTargets } from '../host/host-settings.ts';
import { pathFrom, stateFolder } from '../paths.ts';
import type { Shell } from '../shell.ts';
import { configuredTargets, typedTargets } from '../target/target.ts';
import { runWorkbench, typedCommands } from '../workbench/run-workbench.ts';
import { chatRules } from './chat.ts';

export const workbench = command('workbench', {
  usage: ['[<target> …]', '[<target> …] [options] -- <command> [argument …]'],
  about: `Open a page in the browser to inspect, call and debug servers.

The page is served on this machine only, and works offline. It lists the servers that you name and all configured ones; those that you name are opened at once. If the page wants to start another command, you are asked in this terminal. Ctrl-C stops the page and all servers.`,
  options: {
    port: withValue('number', 'Listen on this port (default: a free one)'),
    'no-browser': flag('Print the URL and open no browser'),
    record: withValue('file', 'Record the messages of the first target to this file'),
    open: withValue('recording', 'Open a recording, and go to any moment of it'),
    model: withValue(
      'script or provider:name',
      'Model for the chat and for sampling requests of servers: a YAML script, or provider:name (default: MOORING_MODEL; without it, you answer)',
    ),
    exit: flag('Exit after ten minutes without an open page'),
    'dangerously-listen': withValue(
      'address',
      'Listen on this address instead of 127.0.0.1; anyone who can reach it can try to guess the access token',
    ),
    ...hostOptions,
  },
  examples: [
    ['mooring workbench ./server.ts'],
    ['mooring workbench', 'all configured servers, none of them started'],
    ['mooring workbench https://example.com/mcp --record session.ndjson'],
    ['mooring workbench --open session.ndjson', 'a recorded session'],
    ['mooring workbench ./server.ts --json', 'prints the URL as JSON, for scripts'],
  ],
  async run(input) {
    const { values, shell } = input;
    // From Node 24 on, V8's young generation grows to 96 MB otherwise, which is more than all messages take.
    if (shell.leave !== undefined) setFlagsFromString('--optimize-for-size');
    const named = await typedTargets(input);
    const others = (await configuredTargets(input)).filter(
      ({ name }) => !named.some((one) => one.source.from !== undefined && one.name === name),
    );
    const lock = await findLock(input);
    const targets = labelTargets([...named, ...others], lock);
    const connect = [...targets].flatMap(([label, target]) => (named.includes(target) ? [label] : []));
    const { servers, inputs: _inputs, auth: _auth, ...host } = hostSettings(targets, input, lock);
    const confirmed = new Set<string>();
    const { policy, audit, approvals } = await gateSettings(input, {
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
          ...{ apps: true, skills: true, tasks: true },
          tickets: fileTickets(join(stateFolder(shell), 'workbench-tickets')),
          roots: Object.fromEntries([...targets.keys()].map((label) => [label, []])),
        },
        policy,
        policyName: values.policy ?? 'default',
        audit: audit === undefined ? undefined : Object.assign(audit, { path: pathFrom(shell, auditFile) }),
        ...{ connect, confirmed },
        model: await workbenchModel(values.model, shell),
        port: portIn(values.port ?? '0', '--port'),
        address: addressIn(values['dangerously-listen']),
        opensBrowser: values['no-browser'] !== true && !input.print.json,
        exits: values.exit === true,
        record: values.record,
        open: values.open,
      },
      input,
    );
  },
});

/** Wildcard addresses, as a URL spells them. */
const wildcards: readonly string[] = ['0.0.0.0', '[::]', '[::ffff:0:0]'];

/** Rejects wildcard addresses in any spelling: they would expose the page to every network of this machine. */
function addressIn(address = '127.0.0.1'): string {
  const url = `http://${isIP(address) === 6 ? `[${address}]` : address}`;
  // A URL has no place for the zone of `::%lo`, so a browser could not open the page.
  if (isIP(address) !== 0 && URL.canParse(url) && !wildcards.includes(new URL(url).hostname)) return address;
  throw badArgument(
    `--dangerously-listen ${address}`,
    'expected one IP address of this machine; wildcard addresses are not allowed',
  );
}

const MAX_SCRIPT_BYTES: number = 1024 * 1024;

/** A script file or a provider. Undefined if the user plays the model. */
async function workbenchModel(wanted: string | undefined, shell: Shell): Promise<WorkbenchOptions['model']> {
  const script =
    wanted === undefined ? undefined : await readFileText(pathFrom(shell, wanted), { maxBytes: MAX_SCRIPT_BYTES });
  if (script !== undefined) return { name: 'scripted', script };
  const model = modelFrom(shell, wanted);
  return model === undefined ? undefined : { name: wanted ?? shell.env['MOORING_MODEL'] ?? '', model };
}
