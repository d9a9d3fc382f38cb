/** The settings of a host, from the options of the command line: the same for a single call and for a chat. */
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

/** Each under a label of its own. What is configured keeps its label, whatever else was typed. */
export function labelTargets(targets: readonly CommandTarget[]): ReadonlyMap<string, CommandTarget> {
  const labelled = new Map<string, CommandTarget>();
  const configuredFirst = targets.toSorted((a, b) => Number(!a.source.from) - Number(!b.source.from));
  for (const target of configuredFirst) labelled.set(labelFor(target.name, labelled), target);
  return labelled;
}

export function hostSettings(targets: ReadonlyMap<string, CommandTarget>, by: HostContext): HostOptions {
  const { shell, values } = by;
  const { env, cwd, home: userHome, clock } = shell;
  const lockfile = lockFile(values.lock, shell);
  const { revision } = values;
  return {
    servers: Object.fromEntries([...targets].map(([label, { source }]) => [label, source])),
    name: 'mooring',
    clock,
    inputs: inputsFrom(by),
    secrets: secretsFrom(by),
    environment: { env, cwd, userHome },
    timeouts: timeoutsIn(values),
    ...(revision === undefined ? {} : { revisions: [checkRevision(revision)] }),
    ...(lockfile === undefined ? {} : { lockfile }),
    auth: commandAuth(by),
  };
}

/** Undefined where there is none: a command makes no lock file, `mooring lock approve` does. */
function lockFile(named: string | undefined, shell: Shell): string | undefined {
  const path = pathFrom(shell, named ?? 'mcp.lock');
  if (existsSync(path)) return path;
  if (named !== undefined) throw badArgument(`--lock ${named}`, `there is no such file (${path})`);
  return undefined;
}

export function checkRevision(revision: string): string {
  if (revisionIds.includes(revision)) return revision;
  throw badArgument(`--revision ${revision}`, `there is no such revision; available: ${revisionIds.join(', ')}`);
}

export function timeoutsIn({ timeout }: TargetContext['values']): NonNullable<HostOptions['timeouts']> {
  if (timeout === undefined) return {};
  const ms = Number(timeout) * 1000;
  if (!(ms > 0)) throw badArgument(`--timeout ${timeout}`, 'expected a number of seconds');
  return { connectTimeoutMs: ms, timeoutMs: ms };
}

/** Rules and the audit log name the user by this. */
export const commandUser = ({ env }: Shell): string => env['USER'] ?? env['USERNAME'] ?? 'you';
