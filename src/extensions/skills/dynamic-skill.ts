/** A skill whose files are made when they are read. Hosts cannot verify it, and many decline to load one. */
import { badDefinition } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { checkObject, checkText } from '../../model/check-argument.ts';
import type { Context } from '../../server/context.ts';
import type { ReadValue } from '../../server/resource.ts';
import { frontmatterFault, type SkillEntry, type SkillFrontmatter } from './skill-entry.ts';
import { skillUri } from './skill-uri.ts';

/** What a dynamic skill is made of. */
export interface DynamicSkillSpec {
  /** Where it is served: `reports` is `skill://reports/SKILL.md`. The last segment is the name of the skill. */
  readonly path: string;
  readonly description: string;
  /** More members of the frontmatter. */
  readonly frontmatter?: JsonObject;
  /** The content of `SKILL.md` below its frontmatter, which is written for you; or another file, by its path. */
  read(file: string, context: Context): ReadValue | Promise<ReadValue>;
}

/** What `dynamicSkill` makes: a value for `skills`. */
export interface DynamicSkill {
  readonly entry: SkillEntry;
  readonly segments: readonly string[];
  read(file: string, context: Context): Promise<ReadValue>;
}

/** Defines a skill whose files are made when they are read. */
export function dynamicSkill(spec: DynamicSkillSpec): DynamicSkill {
  checkObject(spec, 'dynamicSkill(spec)', 'an object with path and description');
  checkText(spec.path, 'dynamicSkill(spec)', 'a path');
  const segments = spec.path.split('/');
  const frontmatter = { ...spec.frontmatter, name: segments.at(-1) ?? '', description: spec.description };
  const fault = frontmatterFault(frontmatter) ?? (segments.includes('') ? 'its path has an empty segment' : undefined);
  if (fault !== undefined) throw badDefinition(`skill "${spec.path}"`, fault);
  const uri = skillUri([...segments, 'SKILL.md']);
  return {
    entry: { uri, frontmatter: frontmatter as SkillFrontmatter, resources: 'dynamic' }, // as just checked
    segments,
    async read(file, context) {
      const content = await spec.read(file, context);
      if (file !== 'SKILL.md' || typeof content !== 'string') return content;
      const { stringify } = await import('yaml');
      return `---\n${stringify(frontmatter)}---\n\n${content}`;
    },
  };
}
