/** `mooring lock approve`: approves what a server offers now. */
import { Lock } from '../../host/lock/lock.ts';
import { readLock } from '../../host/lock/lock-file.ts';
import { printable, printableLines } from '../../model/printable.ts';
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
import { reportListFailures } from '../offer.ts';
import { canAsk } from '../shell.ts';
import { targetOptions } from '../target/options.ts';

export const lockApprove = command('lock approve', {
  usage: ['<target> [<name> …]', '[<name> …] -- <command> [argument …]'],
  about: `Approve what a server offers now.

Lock approve shows what is not approved yet, with a diff of what changed, and writes it to the lock file. In a terminal it asks first. To approve only some definitions, name them: tools and prompts by name, templates and skills by URI, or the word instructions. Without names, entries that the server no longer offers are removed.`,
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
    const listed = await listForLock(target, input, label);
    const exit = reportListFailures(listed.failed, input);
    const compared = await compareWithLock(
      listed,
      new Lock({ path, frozen: true, clock: shell.clock, onWarning: () => undefined }),
      pinned,
    );
    const names = after === undefined ? words.slice(1) : words;
    const chosen = chooseItems(compared, names);
    const gone = names.length === 0 ? compared.gone : [];
    if (chosen.length > 0 && !(await confirmItems(compared, chosen, input))) return exitCodes.no;
    const lock = new Lock({ path, clock: shell.clock, onWarning });
    for (const contact of listed.contacts) await lock.record(contact);
    await lock.accept(...chosen.map(({ part }) => part));
    await lock.forget(listed.label, gone);
    print.data({
      file: path,
      server: listed.label,
      approved: chosen.map(({ part: { kind, key } }) => ({ kind, name: key })),
      removed: gone.map((id) => id.trim()),
    });
    print.line(
      chosen.length === 0
        ? `Everything that ${printable(listed.label)} lists is approved already.`
        : `Approved in ${path}: ${chosen.map(({ part }) => printable(lockItemName(part))).join(', ')}`,
    );
    if (gone.length > 0)
      print.line(`Removed, because no longer offered: ${gone.map((id) => printable(id.trim())).join(', ')}`);
    return exit;
  },
});

/** The items to approve: all that are not approved, or those of them that were named. */
function chooseItems(compared: LockComparisonResult, names: readonly string[]): readonly ComparedItem[] {
  const known = compared.parts.map(nameOf);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw badArgument(unknown, `the server offers nothing with this name; ${suggest(unknown, known)}`);
  const unapproved = unapprovedItems(compared);
  return names.length === 0 ? unapproved : unapproved.filter((item) => names.includes(nameOf(item)));
}

/** As typed on the command line: a name, a URI, or `instructions`. */
const nameOf = ({ part: { kind, key } }: ComparedItem): string => (kind === 'instructions' ? kind : key);

async function confirmItems(
  compared: LockComparisonResult,
  chosen: readonly ComparedItem[],
  { shell, print, values }: CommandContext & { readonly values: { readonly yes?: boolean } },
): Promise<boolean> {
  for (const line of comparisonLines({ ...compared, parts: chosen }, print).filter((_, at) => at !== 1))
    print.note(line);
  if (values.yes === true) return true;
  if (!canAsk(shell))
    throw badArgument('--yes', 'required, because this is not running in a terminal; nothing was approved');
  for (const { part } of chosen)
    print.note(`${printable(lockItemName(part))}: ${printableLines(JSON.stringify(part.definition, null, 2))}`);
  const what = chosen.length === 1 ? 'this definition' : `these ${chosen.length} definitions`;
  if (await confirmOnTerminal(shell, `Approve ${what}?`)) return true;
  print.note('Nothing was approved.');
  return false;
}
