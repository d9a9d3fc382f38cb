/** Before something from a file is started or connected to for the first time: whoever wrote the file may not be who runs it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Approval, ApprovalStore } from '../../host/consent/approvals.ts';
import { fileApprovals } from '../../host/consent/file-approvals.ts';
import type { ComparedServerPlan } from '../../host/servers/server-plan.ts';
import { printable } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { askOnTerminal } from '../ask.ts';
import type { CommandContext } from '../command.ts';
import { canAsk, type Shell } from '../shell.ts';
import { stateFolder } from './config-places.ts';
import type { CommandTarget } from './target.ts';

const REMEMBERED_MS: number = 90 * 24 * 60 * 60 * 1000;

/** What the user has agreed to on the command line, and the key that it is hashed with. */
export function approvalsOf(shell: Shell): Required<ApprovalStore> {
  return fileApprovals(join(stateFolder(shell), 'approvals'));
}

/** Resolves when they agree, or have agreed to exactly this within the last 90 days. */
export async function agreeToStart(
  { label, source }: CommandTarget,
  opening: ComparedServerPlan,
  by: CommandContext,
): Promise<void> {
  const { shell, print } = by;
  const store = approvalsOf(shell);
  const now = shell.clock.wall();
  const { kind, name, definition } = opening.act;
  const { file = '', line = 0 } = source.from ?? {};
  const where = `${file}, line ${line}`;
  // What was agreed to is this command or address of this file; its line changes with what is written above it.
  const known = (one: Approval): boolean =>
    one.server === file && one.kind === kind && one.definition === definition && (one.until ?? 0) > now;
  if ((await store.list()).some(known)) return;
  const what = `${kind === 'spawn' ? 'starts' : 'connects to'} ${printable(name)}`;
  if (!canAsk(shell)) {
    const why = `it ${what} (${where}), which nobody has agreed to yet; look at it, then pass --yes or agree on a terminal`;
    throw badArgument(label, why);
  }
  print.note(`"${printable(label)}" of ${printable(where)}\n  ${what}`);
  for (const [key, value] of Object.entries(opening.act.arguments))
    print.note(printable(`  ${key}: ${JSON.stringify(value)}`));
  for (const warning of opening.warnings) print.note(`  ${print.style('yellow', printable(warning), 'stderr')}`);
  if (!/^y(?:es)?$/i.test(await askOnTerminal(shell, 'Go on, and remember it for 90 days? [y/N] ')))
    throw badArgument(label, 'you did not agree, so nothing was started');
  if ((await opening.current()).definition !== definition)
    throw badArgument(label, 'it changed while you were asked, so nothing was started. Run the command again');
  const approval: Approval = {
    id: randomUUID(),
    server: file,
    kind,
    name,
    principal: '',
    rule: 'command line',
    definition,
    until: now + REMEMBERED_MS,
    at: now,
  };
  await store.add(approval);
}
