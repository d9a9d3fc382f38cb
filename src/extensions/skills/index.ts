/** The entry point `mooring/skills`: serve folders of Agent Skills, and load the skills of other servers. */
export type { SkillSet } from '../../server/part.ts';
export { type DynamicSkill, type DynamicSkillSpec, dynamicSkill } from './dynamic-skill.ts';
export { listSkills, type SkillSource, skillDigest } from './list-skills.ts';
export { type LoadedSkill, loadSkill } from './load-skill.ts';
export { type SkillCache, type SkillCacheKey, skillCache } from './skill-cache.ts';
export type { SkillEntry, SkillFile, SkillFrontmatter } from './skill-entry.ts';
export { type SkillsSpec, skills } from './skills.ts';
export { type SkillsWatch, type WatchSkillsOptions, watchSkills } from './watch-skills.ts';
