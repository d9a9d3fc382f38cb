/** A skill as the lock holds it: its name and description, and the digest of each of its files. */
import type { SkillEntry } from '../../extensions/skills/skill-entry.ts';
import { skillPathOf } from '../../extensions/skills/skill-uri.ts';
import type { LockItem } from '../lock/lock-item.ts';

/** The rest of the frontmatter is in `SKILL.md`, which has a digest. */
export function skillItem(server: string, { uri, frontmatter, resources }: SkillEntry): LockItem {
  const { name, description } = frontmatter;
  const { folder } = skillPathOf(uri) ?? { folder: '' };
  const files =
    resources === 'dynamic'
      ? resources
      : Object.fromEntries(resources.map((file) => [file.uri.slice(folder.length), file.digest]));
  return { kind: 'skill', server, key: uri, definition: { name, description, files } };
}
