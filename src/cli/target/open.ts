/** Opens a client for a target, as the options of the command line say. */
import { type Client, type ConnectOptions, openClient } from '../../client/index.ts';
import type { ConnectionPlan } from '../../connect/target.ts';
import { classifySource } from '../../host/config/source.ts';
import { processKey } from '../../host/servers/fingerprint.ts';
import { planServer } from '../../host/servers/plan-server.ts';
import type { Lookups } from '../../host/servers/text-resolver.ts';
import { printable } from '../../model/printable.ts';
import { Masks } from '../../model/secrets.ts';
import type { Transport } from '../../peer/exchange.ts';
import { revisionIds } from '../../revisions/index.ts';
import { badArgument } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { sanitize } from '../printer.ts';
import { agreeToStart, approvalsOf } from './agree.ts';
import { FailureReports } from './failure-reports.ts';
import { inputsFrom, secretsFrom } from './inputs.ts';
import { terminalAuth } from './sign-in.ts';
import type { CommandTarget, TargetInput } from './target.ts';

export interface OpenOptions {
  /** What the client offers to the server, and gets from it. */
  readonly connect?: ConnectOptions;
  /** Put around the line to the server: to listen in, to write down. */
  readonly around?: (transport: Transport) => Transport;
  /** Gets what a command writes beside the protocol: to `stderr`, and to `stdout`. */
  readonly heard?: (from: string, text: string) => void;
  /** Where what is only named comes from; without it, the environment and the terminal. */
  readonly lookups?: Lookups;
}

export interface Opener extends CommandContext {
  readonly values: TargetInput['values'];
}

/** A target that somebody has agreed to; nothing has been started yet. */
export interface Reached {
  readonly way: ConnectionPlan;
  /** The command or the address, as it was shown. */
  readonly address: string;
  readonly connect: ConnectOptions;
  /** What it was given and nobody else is to see. */
  readonly masks: Masks;
}

/** Close it with `await using`. What was found in a file is started only if somebody agrees, now or before. */
export async function openTarget(target: CommandTarget, by: Opener, options: OpenOptions = {}): Promise<Client> {
  return openReached(await reachTarget(target, by, options), options);
}

/** Asks for everything that has to be asked for, and starts nothing. */
export async function reachTarget(target: CommandTarget, by: Opener, options: OpenOptions = {}): Promise<Reached> {
  const { values } = by;
  const connect: ConnectOptions = { ...connectOptions(by), ...options.connect };
  const source = classifySource(target.source);
  if (source === undefined) throw badArgument(target.label, 'it is no server');
  const masks = new Masks();
  const reports = new FailureReports((line) => by.print.note(printable(line)));
  const isAsked = target.source.from !== undefined && values.yes !== true;
  const heard = (from: string, text: string): void => {
    const shown = masks.mask(text);
    if (values.verbose === true || target.module === undefined) say(by, from, shown);
    else if (from === 'stderr') reports.hear(shown);
    options.heard?.(from, masks.mask(text));
  };
  const opening = await planServer(source, {
    label: target.label,
    lookups: options.lookups ?? lookupsOf(by),
    masks,
    log: { stderr: (chunk) => heard('stderr', chunk), write: heard },
    auth: terminalAuth(by),
    sandbox: undefined,
    connect,
    fingerprintKey: isAsked ? approvalsOf(by.shell).key : processKey(),
  });
  if (isAsked) await agreeToStart(target, opening, by);
  return { way: await opening.resolve(), address: opening.act.name, connect, masks };
}

export function lookupsOf(by: CommandContext): Lookups {
  const { env, home: userHome, cwd } = by.shell;
  return { env, userHome, cwd, secrets: secretsFrom(by), inputs: inputsFrom(by) };
}

export function openReached({ way, connect }: Reached, { around = (same) => same }: OpenOptions = {}): Promise<Client> {
  const { transport, extensions, ...surroundings } = way;
  return openClient(
    around(transport),
    { ...connect, ...(extensions === undefined ? {} : { extensions }) },
    surroundings,
  );
}

function connectOptions(by: Opener): ConnectOptions {
  const { revision, timeout } = by.values;
  if (revision !== undefined && !revisionIds.includes(revision))
    throw badArgument(`--revision ${revision}`, `there is no such revision; there are ${revisionIds.join(', ')}`);
  const seconds = timeout === undefined ? undefined : Number(timeout);
  if (seconds !== undefined && !(seconds > 0))
    throw badArgument(`--timeout ${timeout}`, 'expected a number of seconds');
  return {
    name: 'mooring',
    signal: by.shell.signal,
    clock: by.shell.clock,
    onLog: ({ level, data }) => say(by, level, typeof data === 'string' ? data : JSON.stringify(data)),
    onWarning: (warning) => say(by, 'warning', warning),
    ...(revision === undefined ? {} : { revisions: [revision] }),
    ...(seconds === undefined ? {} : { connectTimeoutMs: seconds * 1000, timeoutMs: seconds * 1000 }),
  };
}

function say({ values, print }: Opener, from: string, text: string): void {
  if (values.verbose !== true) return;
  for (const line of sanitize(text.trimEnd()).split('\n')) print.note(print.style('dim', `${from}: ${line}`, 'stderr'));
}
