/** Host settings from command-line options, for single calls and for chats. */
import { existsSync } from 'node:fs';
import { type HostOptions, labelFor } from '../../host/index.ts';
import { revisionIds } from '../../revisions/index.ts';
import { badArgument } from '../arguments.ts';
import { type Options, withValue } from '../command.ts';
import { type KnownLock, lockedLabel, readKnownLock } from '../lock/known-lock.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';
import { inputsFrom, secretsFrom } from '../target/inputs.ts';
import { type TargetContext, targetOptions } from '../target/options.ts';
import { commandAuth } from '../target/sign-in.ts';
import type { CommandTarget } from '../target/target.ts';

export const hostOptions = {
  ...targetOptions,
  lock: withValue('file', 'Ask about definitions that differ from this lock file (default: mcp.lock, if it exists)'),
} as const satisfies Options;

export interface HostContext extends TargetContext {
  readonly values: TargetContext['values'] & { readonly lock?: string };
}

/** Gives each target a unique label. Configured servers keep theirs, and typed ones that of the lock, without taking that of another. */
export function labelTargets(targets: readonly CommandTarget[], lock?: KnownLock): ReadonlyMap<string, CommandTarget> {
  const labelled = new Map<string, CommandTarget>();
  const [configured, typed] = [targets.filter(isConfigured), targets.filter((one) => !isConfigured(one))];
  for (const target of configured) labelled.set(labelFor(target.name, labelled), target);
  const isTaken = (label: string): boolean => labelled.has(label) || lock?.pinned.has(label) === true;
  for (const target of typed) {
    const known = lock && lockedLabel(target, lock);
    const label = known === undefined || labelled.has(known) ? labelFor(target.name, { has: isTaken }) : known;
    labelled.set(label, target);
  }
  return labelled;
}

const isConfigured = ({ source }: CommandTarget): boolean => source.from !== undefined;

/** The file of --lock, or else `mcp.lock`. Undefined if there is none: only `mooring lock approve` creates one. */
export async function findLock({ values, shell }: HostContext): Promise<KnownLock | undefined> {
  const path = pathFrom(shell, values.lock ?? 'mcp.lock');
  if (existsSync(path)) return readKnownLock(path);
  if (values.lock !== undefined) throw badArgument(`--lock ${values.lock}`, `file not found (${path})`);
  return undefined;
}

/** Like `findLock`, for one server: a lock file that is in the folder and does not have the server is not for it. */
export async function findLockOf(target: CommandTarget, context: HostContext): Promise<KnownLock | undefined> {
  const lock = await findLock(context);
  if (lock === undefined || context.values.lock !== undefined) return lock;
  const isKnown = isConfigured(target) ? lock.pinned.has(target.name) : lockedLabel(target, lock) !== undefined;
  return isKnown ? lock : undefined;
}

export function hostSettings(
  targets: ReadonlyMap<string, CommandTarget>,
  by: HostContext,
  lock: KnownLock | undefined,
): HostOptions {
  const { inputs, secrets, ...environment } = commandLookups(by);
  return {
    servers: Object.fromEntries([...targets].map(([label, { source }]) => [label, source])),
    ...connectionSettings(by),
    ...{ inputs, secrets, environment },
    timeouts: timeoutsIn(by.values),
    ...(lock === undefined ? {} : { lockfile: lock.path }),
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
