/** `dynamicSkill`: a skill whose files are generated when they are read. Hosts cannot verify such a skill, and many reject it. */
import { badDefinition } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { checkObject, checkText } from '../../model/check-argument.ts';
import type { Context } from '../../server/context.ts';
import type { ReadValue } from '../../server/resource.ts';
import { frontmatterFault, type SkillEntry, type SkillFrontmatter } from './skill-entry.ts';
import { skillUri } from './skill-uri.ts';

/** The definition of a dynamic skill. */
export interface DynamicSkillSpec {
  /** The path of the skill: `reports` is served as `skill://reports/SKILL.md`. The last segment is the name of the skill. */
  readonly path: string;
  readonly description: string;
  /** Additional members of the frontmatter. */
  readonly frontmatter?: JsonObject;
  /** Generates a file by its path. For `SKILL.md`, return the text below the frontmatter, which is added for you. */
  read(file: string, context: Context): ReadValue | Promise<ReadValue>;
}

/** The result of `dynamicSkill`, for `skills({ dynamic })`. */
export interface DynamicSkill {
  readonly entry: SkillEntry;
  readonly segments: readonly string[];
  read(file: string, context: Context): Promise<ReadValue>;
}

/** Defines a skill whose files are generated when a client reads them. */
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
