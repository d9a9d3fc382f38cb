/** Converts a skill to an item of the lock: its name, its description, and the digest of each file. */
import type { SkillEntry } from '../../extensions/skills/skill-entry.ts';
import { skillPathOf } from '../../extensions/skills/skill-uri.ts';
import type { LockItem } from '../lock/lock-item.ts';

/** The digest of `SKILL.md` covers the rest of the frontmatter. */
export function skillItem(server: string, { uri, frontmatter, resources }: SkillEntry): LockItem {
  const { name, description } = frontmatter;
  const { folder } = skillPathOf(uri) ?? { folder: '' };
  const files =
    resources === 'dynamic'
      ? resources
      : Object.fromEntries(resources.map((file) => [file.uri.slice(folder.length), file.digest]));
  return { kind: 'skill', server, key: uri, definition: { name, description, files } };
}
