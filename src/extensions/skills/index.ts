/** The entry point `mooring/skills`: serve folders of Agent Skills. */
export type { SkillSet } from '../../server/part.ts';
export { type DynamicSkill, type DynamicSkillSpec, dynamicSkill } from './dynamic-skill.ts';
export { type LoadedSkill, listSkills, loadSkill, type SkillSource, skillDigest } from './load-skill.ts';
export type { SkillEntry, SkillFile, SkillFrontmatter } from './skill-entry.ts';
export { type SkillsSpec, skills } from './skills.ts';
