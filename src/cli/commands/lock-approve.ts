/** `mooring lock approve`: approves what a server offers now. */
import { Lock } from '../../host/lock/lock.ts';
import { readLock } from '../../host/lock/lock-file.ts';
import { printable } from '../../model/printable.ts';
import { suggest } from '../../model/suggest.ts';
import { badArgument } from '../arguments.ts';
import { confirmOnTerminal } from '../ask.ts';
import { type CommandContext, command, flag } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import {
  type ComparedItem,
  compareWithLock,
  comparisonLines,
  type LockComparisonResult,
  lockItemName,
  unapprovedItems,
} from '../lock/compare.ts';
import { listForLock } from '../lock/list-for-lock.ts';
import { lockedTarget, lockOption, lockPath } from '../lock/targets.ts';
import { tellFailures } from '../offer.ts';
import { sanitize } from '../printer.ts';
import { canAsk } from '../shell.ts';
import { targetOptions } from '../target/options.ts';

export const lockApprove = command('lock approve', {
  usage: ['<target> [<tool> …]', '[<tool> …] -- <command> [argument …]'],
  about: `Approve what a server offers now.

Lock approve shows what is not approved yet, with a diff of what changed, and writes it to the lock file. In a terminal it asks first. Name tools, prompts or templates to approve only these. Without names, entries that the server no longer offers are removed.`,
  options: {
    ...targetOptions,
    yes: flag('Start the command and approve without asking', 'y'),
    lock: lockOption,
  },
  examples: [
    ['mooring lock approve shop'],
    ['mooring lock approve shop refund', 'one tool'],
    ['mooring lock approve shop --yes', 'in scripts'],
  ],
  async run(input) {
    const { shell, print } = input;
    const { values, after, words } = input;
    const path = lockPath(values.lock, shell);
    const onWarning = (warning: string): void => print.note(printable(warning));
    const pinned = await readLock(path, onWarning);
    const { target, label } = await lockedTarget(input, { path, pinned });
    const met = await listForLock(target, input, label);
    const exit = tellFailures(met.failed, input);
    const seen = await compareWithLock(
      met,
      new Lock({ path, frozen: true, clock: shell.clock, onWarning: () => undefined }),
      pinned,
    );
    const names = after === undefined ? words.slice(1) : words;
    const chosen = chosenOf(seen, names);
    const gone = names.length === 0 ? seen.gone : [];
    if (chosen.length > 0 && !(await agreed(seen, chosen, input))) return exitCodes.no;
    const lock = new Lock({ path, clock: shell.clock, onWarning });
    for (const contact of met.contacts) await lock.record(contact);
    await lock.accept(...chosen.map(({ part }) => part));
    await lock.forget(met.label, gone);
    print.data({
      file: path,
      server: met.label,
      approved: chosen.map(({ part: { kind, key } }) => ({ kind, name: key })),
      removed: gone.map((id) => id.trim()),
    });
    print.line(
      chosen.length === 0
        ? `Everything that ${printable(met.label)} lists is approved already.`
        : `Approved in ${path}: ${chosen.map(({ part }) => printable(lockItemName(part))).join(', ')}`,
    );
    if (gone.length > 0)
      print.line(`Removed, because it is no longer offered: ${gone.map((id) => printable(id.trim())).join(', ')}`);
    return exit;
  },
});

/** What is not approved; of this, what was named. */
function chosenOf(seen: LockComparisonResult, names: readonly string[]): readonly ComparedItem[] {
  const keys = seen.parts.map(({ part }) => lockItemName(part).replace(/^(?:tool|prompt|template) /, ''));
  const unknown = names.find((name) => !keys.includes(name));
  if (unknown !== undefined)
    throw badArgument(unknown, `the server offers nothing of that name; ${suggest(unknown, keys)}`);
  const waits = unapprovedItems(seen);
  return names.length === 0
    ? waits
    : waits.filter(({ part: { kind, key } }) => names.includes(kind === 'instructions' ? kind : key));
}

async function agreed(
  seen: LockComparisonResult,
  chosen: readonly ComparedItem[],
  { shell, print, values }: CommandContext & { readonly values: { readonly yes?: boolean } },
): Promise<boolean> {
  for (const line of comparisonLines({ ...seen, parts: chosen }, print).filter((_, at) => at !== 1)) print.note(line);
  if (values.yes === true) return true;
  if (!canAsk(shell))
    throw badArgument('--yes', 'required, because this is not running in a terminal; nothing was approved');
  for (const { part } of chosen)
    print.note(`${printable(lockItemName(part))}: ${sanitize(JSON.stringify(part.definition, null, 2))}`);
  const what = chosen.length === 1 ? 'it' : `these ${chosen.length}`;
  if (await confirmOnTerminal(shell, `Approve ${what}?`)) return true;
  print.note('Nothing was approved.');
  return false;
}
