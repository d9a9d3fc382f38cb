/** Host settings from command-line options, for single calls and for chats. */
import { existsSync } from 'node:fs';
import { type HostOptions, labelFor } from '../../host/index.ts';
import { revisionIds } from '../../revisions/index.ts';
import { badArgument } from '../arguments.ts';
import { type Options, withValue } from '../command.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';
import { inputsFrom, secretsFrom } from '../target/inputs.ts';
import { type TargetContext, targetOptions } from '../target/options.ts';
import { commandAuth } from '../target/sign-in.ts';
import type { CommandTarget } from '../target/target.ts';

export const hostOptions = {
  ...targetOptions,
  lock: withValue(
    'file',
    'Ask about definitions that this lock file does not approve (default: mcp.lock, if it exists)',
  ),
} as const satisfies Options;

export interface HostContext extends TargetContext {
  readonly values: TargetContext['values'] & { readonly lock?: string };
}

/** Gives each target a unique label. Configured servers keep theirs. */
export function labelTargets(targets: readonly CommandTarget[]): ReadonlyMap<string, CommandTarget> {
  const labelled = new Map<string, CommandTarget>();
  const configuredFirst = targets.toSorted((a, b) => Number(!a.source.from) - Number(!b.source.from));
  for (const target of configuredFirst) labelled.set(labelFor(target.name, labelled), target);
  return labelled;
}

export function hostSettings(targets: ReadonlyMap<string, CommandTarget>, by: HostContext): HostOptions {
  const lockfile = lockFile(by.values.lock, by.shell);
  const { inputs, secrets, ...environment } = commandLookups(by);
  return {
    servers: Object.fromEntries([...targets].map(([label, { source }]) => [label, source])),
    ...connectionSettings(by),
    ...{ inputs, secrets, environment },
    timeouts: timeoutsIn(by.values),
    ...(lockfile === undefined ? {} : { lockfile }),
    auth: commandAuth(by),
  };
}

type CommandLookups = Required<Pick<HostOptions, 'inputs' | 'secrets'> & NonNullable<HostOptions['environment']>>;

/** Resolves variables, inputs and secrets of a configuration, from the environment and the terminal. */
export function commandLookups(by: TargetContext): CommandLookups {
  const { env, home: userHome, cwd } = by.shell;
  return { env, userHome, cwd, secrets: secretsFrom(by), inputs: inputsFrom(by) };
}

type ConnectionSettings = Pick<HostOptions, 'name' | 'clock' | 'revisions'>;

/** Client settings, for connections with and without a host. */
export function connectionSettings({ values: { revision }, shell: { clock } }: TargetContext): ConnectionSettings {
  const name = 'mooring';
  return revision === undefined ? { name, clock } : { name, clock, revisions: [checkRevision(revision)] };
}

/** Undefined if there is no lock file: only `mooring lock approve` creates one. */
function lockFile(named: string | undefined, shell: Shell): string | undefined {
  const path = pathFrom(shell, named ?? 'mcp.lock');
  if (existsSync(path)) return path;
  if (named !== undefined) throw badArgument(`--lock ${named}`, `file not found (${path})`);
  return undefined;
}

function checkRevision(revision: string): string {
  if (revisionIds.includes(revision)) return revision;
  throw badArgument(`--revision ${revision}`, `unknown revision; available: ${revisionIds.join(', ')}`);
}

export function timeoutsIn({ timeout }: TargetContext['values']): NonNullable<HostOptions['timeouts']> {
  if (timeout === undefined) return {};
  const ms = Number(timeout) * 1000;
  if (!(ms > 0)) throw badArgument(`--timeout ${timeout}`, 'expected a number of seconds above 0');
  return { connectTimeoutMs: ms, timeoutMs: ms };
}

/** The principal in rules and in the audit log. */
export const commandUser = ({ env }: Shell): string => env['USER'] ?? env['USERNAME'] ?? 'you';
