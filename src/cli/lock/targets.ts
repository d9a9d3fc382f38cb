/** Resolves the servers of `mooring lock` commands, and their names in the lock file. */
import { labelFor } from '../../host/config/labels.ts';
import { badArgument } from '../arguments.ts';
import { withValue } from '../command.ts';
import { nameFor } from '../install/name.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';
import type { TargetInput } from '../target/options.ts';
import { type CommandTarget, configuredServers, targetIn, targetOf } from '../target/target.ts';
import { type KnownLock, labelAt } from './known-lock.ts';

export interface LockTarget {
  readonly target: CommandTarget;
  /** The server's name in the lock, for its address. */
  label(address: string): string;
}

/** The typed targets; otherwise all servers of `--config` files; otherwise the configured servers that are in the lock. */
export async function lockedTargets(input: TargetInput, { pinned, path }: KnownLock): Promise<readonly LockTarget[]> {
  if (input.after !== undefined) return [await lockedTarget(input, { pinned, path })];
  if (input.words.length > 0)
    return Promise.all(
      input.words.map(async (word) => withLockLabel(await targetOf(word, input), [word], { pinned, path })),
    );
  const { servers, faults } = await configuredServers(input);
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  const found = Object.entries(servers).filter(([label]) => input.values.config !== undefined || pinned.has(label));
  if (found.length === 0)
    throw badArgument('<target>', 'expected a server or --config, because no configured server is in the lock');
  return found.map(([label, source]) => ({ target: { label, name: label, source }, label: () => label }));
}

/** The first typed target, or the command after `--`. */
export async function lockedTarget(input: TargetInput, lock: KnownLock): Promise<LockTarget> {
  const { target } = await targetIn(input);
  return withLockLabel(target, input.after ?? input.words, lock);
}

/** Configured servers keep their label. Others are looked up by address, or get a default name. */
function withLockLabel(target: CommandTarget, words: readonly string[], { pinned, path }: KnownLock): LockTarget {
  const label = (address: string): string => {
    if (target.source.from !== undefined) return labelFor(target.label, new Set());
    return labelAt(address, { pinned, path }) ?? labelFor(nameFor(words), pinned);
  };
  return { target, label };
}

export const lockOption = withValue('file', 'Use this lock file (default: mcp.lock)');

export const lockPath = (file: string | undefined, shell: Shell): string => pathFrom(shell, file ?? 'mcp.lock');
