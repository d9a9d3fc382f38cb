/** The registry of protocol revisions, newest first. To add a revision, add its folder and one line here. */
import { revision as r20241105 } from './2024-11-05/revision.ts';
import { revision as r20250326 } from './2025-03-26/revision.ts';
import { revision as r20250618 } from './2025-06-18/revision.ts';
import { revision as r20251125 } from './2025-11-25/revision.ts';
import { revision as r20260728 } from './2026-07-28/revision.ts';
import type { Revision } from './contract.ts';

export const revisions: readonly Revision[] = [r20260728, r20251125, r20250618, r20250326, r20241105];

export function findRevision(id: string): Revision | undefined {
  for (const revision of revisions) if (revision.id === id) return revision;
  return undefined;
}

/** The ids (dates) of all supported protocol revisions, newest first. */
export const revisionIds: readonly string[] = revisions.map((revision) => revision.id);
