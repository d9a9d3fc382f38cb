/** `loadSkill`: loads a skill with the user's approval, and verifies each file before returning it. */
import { checkMethod, checkObject } from '../../model/check-argument.ts';
import { checkEntry, getSkill, rejectedSkill, type SkillSource, skillDigest } from './list-skills.ts';
import type { SkillEntry } from './skill-entry.ts';
import { fetchSkillFile, skillFile, skillText, verifySkillFile } from './verify-skill.ts';

/** A skill that the user approved. */
export interface LoadedSkill {
  readonly entry: SkillEntry;
  /** The verified `SKILL.md`. Untrusted text of the server: mark it as such, with the server's name, when you give it to a model. */
  readonly text: string;
  /** Reads another file of the skill by its path relative to `SKILL.md`. Throws if the file was not listed or has changed. */
  read(path: string): Promise<Uint8Array>;
}

/**
 * Loads a skill by its entry or URI. `approve` gets the entry, and a digest to store with the approval; no file is read before it
 * returns true. Throws `MCP_SKILL_REJECTED` if the skill cannot be verified, or its content differs from the entry.
 */
export async function loadSkill(
  client: SkillSource,
  skill: SkillEntry | string,
  approve: (entry: SkillEntry, digest: string) => boolean | Promise<boolean>,
): Promise<LoadedSkill | undefined> {
  const call = 'loadSkill(client, skill, approve)';
  checkMethod(client, 'request', call, 'a client, such as await connect(url)');
  if (typeof skill !== 'string') checkObject(skill, call, 'a skill that was listed, or its URI');
  checkMethod(approve, 'call', call, 'a function that approves the skill');
  const entry = typeof skill === 'string' ? await getSkill(client, skill) : checkEntry(skill, skill.uri);
  if (entry.resources === 'dynamic')
    throw rejectedSkill(entry.uri, 'its files are made when they are read, so they cannot be verified');
  if (!(await approve(entry, await skillDigest(entry)))) return undefined;
  const read = async (path: string): Promise<Uint8Array> => {
    const file = skillFile(entry, path);
    const bytes = await fetchSkillFile(client, file.uri);
    await verifySkillFile(file, bytes);
    return bytes;
  };
  return { entry, text: await skillText(entry, await read('SKILL.md')), read };
}
