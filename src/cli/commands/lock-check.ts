/** `mooring lock check`: compares what servers offer with what was approved. */
import { messageOf } from '../../errors.ts';
import { Lock } from '../../host/lock/lock.ts';
import { type LockedServers, readLock } from '../../host/lock/lock-file.ts';
import { printable, printableIndented } from '../../model/printable.ts';
import { command } from '../command.ts';
import { type ExitCode, exitCodeOf, exitCodes, Interrupted } from '../exit-codes.ts';
import {
  compareWithLock,
  comparisonData,
  comparisonLines,
  type LockComparisonResult,
  unapprovedItems,
} from '../lock/compare.ts';
import { listForLock } from '../lock/list-for-lock.ts';
import { type LockTarget, lockedTargets, lockOption, lockPath } from '../lock/targets.ts';
import { worstFailure } from '../offer.ts';
import { type TargetContext, targetOptions } from '../target/options.ts';

export const lockCheck = command('lock check', {
  usage: ['[<target> …]', '--config <file>', '[options] -- <command> [argument …]'],
  about: `Check that servers still offer what was approved.

Each definition is approved, new, changed (with a diff), suspicious (its text reads like an attack), removed (no longer offered) or rejected (not usable). Nothing is written. Without a target, lock check checks the configured servers that are in the lock file.`,
  exits: [
    [0, 'everything is as approved'],
    [1, 'at least one definition is not approved, or a list failed'],
  ],
  options: { ...targetOptions, lock: lockOption },
  examples: [
    ['mooring lock check'],
    ['mooring lock check shop https://example.com/mcp'],
    ['mooring lock check --config .mcp.json --yes --json', 'in CI'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const path = lockPath(values.lock, shell);
    const warn = (warning: string): void => print.note(printable(warning));
    const pinned = await readLock(path, warn);
    const targets = await lockedTargets(input, { path, pinned });
    const lock = new Lock({ path, frozen: true, clock: shell.clock, onWarning: () => undefined });
    const bar = print.progress('Comparing');
    const outcomes: LockOutcome[] = [];
    for (const [at, one] of targets.entries()) {
      bar.update({ progress: at, total: targets.length, message: one.target.label });
      outcomes.push(await outcomeOf(one, lock, pinned, input));
    }
    bar.end();
    print.data({ file: path, servers: outcomes.map(dataOf) });
    for (const outcome of outcomes)
      for (const line of 'reason' in outcome ? [unreachableLine(outcome)] : comparisonLines(outcome, print))
        print.line(line);
    return exitOf(outcomes);
  },
});

interface UnreachableServer {
  readonly server: string;
  readonly reason: unknown;
}
type LockOutcome = LockComparisonResult | UnreachableServer;

/** A server that cannot be reached does not stop the comparison of the others. */
async function outcomeOf(
  { target, label }: LockTarget,
  lock: Lock,
  pinned: LockedServers,
  by: TargetContext,
): Promise<LockOutcome> {
  try {
    return await compareWithLock(await listForLock(target, by, label), lock, pinned);
  } catch (reason) {
    by.shell.signal.throwIfAborted();
    if (reason instanceof Interrupted) throw reason;
    return { server: target.label, reason };
  }
}

const unreachableLine = ({ server, reason }: UnreachableServer): string =>
  printableIndented(`${server}  cannot be checked: ${messageOf(reason)}`);
const dataOf = (outcome: LockOutcome): object =>
  'reason' in outcome ? { server: outcome.server, failed: messageOf(outcome.reason) } : comparisonData(outcome);

function exitOf(outcomes: readonly LockOutcome[]): ExitCode | undefined {
  const failures = outcomes.flatMap((one) => ('reason' in one ? [one.reason] : []));
  if (failures.length > 0) return exitCodeOf(failures[0]);
  const met = outcomes.flatMap((one) => ('reason' in one ? [] : [one]));
  const worst = worstFailure(met.flatMap(({ failed }) => failed));
  if (worst !== undefined) return exitCodeOf(worst.error);
  return met.some((one) => unapprovedItems(one).length > 0 || one.refused.length > 0) ? exitCodes.no : undefined;
}
