/** Reads the current definitions of a server in the form that the lock stores. */
import { declaresSkills, listSkills } from '../../extensions/skills/list-skills.ts';
import { claimedName } from '../../host/act/claims.ts';
import { readItem } from '../../host/catalogue/read-item.ts';
import type { OfferedItems } from '../../host/lock/lock.ts';
import { instructionsItem, type LockItem } from '../../host/lock/lock-item.ts';
import { skillItem } from '../../host/skills/skill-item.ts';
import { type ListFailure, listOrFail } from '../offer.ts';
import { approveTarget, openApproved } from '../target/connect-target.ts';
import type { TargetContext } from '../target/options.ts';
import type { CommandTarget } from '../target/target.ts';

export interface ListedServer {
  readonly label: string;
  readonly address: string;
  /** One entry per kind. */
  readonly contacts: readonly OfferedItems[];
  /** Invalid definitions that a host leaves out, with the reasons. */
  readonly refused: readonly string[];
  readonly failed: readonly ListFailure[];
}

/** `labelOf` returns the server's name in the lock for its address. */
export async function listForLock(
  target: CommandTarget,
  by: TargetContext,
  labelOf: (address: string) => string,
): Promise<ListedServer> {
  const approved = await approveTarget(target, by);
  const { address } = approved;
  const label = labelOf(address);
  await using client = await openApproved(approved);
  const { info, instructions } = client.server;
  const about = { server: label, address, claims: claimedName(info) };
  const refused: string[] = [];
  const contacts: OfferedItems[] = [];
  const failed: ListFailure[] = [];
  for (const kind of ['tool', 'prompt', 'template'] as const) {
    const before = failed.length;
    const listed = await listOrFail(client, `${kind}s`, { failed, signal: by.shell.signal });
    // Skips a failed list, so that its pinned definitions do not count as gone.
    if (failed.length > before) continue;
    const parts = listed.flatMap((one): readonly LockItem[] => {
      const read = readItem(kind, label, one);
      if (!('rejected' in read)) return [read];
      refused.push(read.rejected);
      return [];
    });
    contacts.push({ ...about, kind, items: parts });
  }
  if (declaresSkills(client.server.capabilities)) {
    const skills = await listSkills(client, (warning) => refused.push(warning), { signal: by.shell.signal });
    const items = skills.filter(({ resources }) => resources !== 'dynamic').map((entry) => skillItem(label, entry));
    contacts.push({ ...about, kind: 'skill', items });
  }
  if (instructions !== undefined)
    contacts.push({ ...about, kind: 'instructions', items: [instructionsItem(label, instructions)] });
  return { label, address, contacts, refused, failed };
}
