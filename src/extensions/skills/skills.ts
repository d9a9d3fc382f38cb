/** `skills(folder)`: reads and validates folders of skills for `createServer({ skills })`. */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { badDefinition, type McpError } from '../../errors.ts';
import { checkObject } from '../../model/check-argument.ts';
import type { SkillSet } from '../../server/part.ts';
import type { DynamicSkill } from './dynamic-skill.ts';
import { type ServedSkills, serveSkills } from './served-skills.ts';
import type { SkillEntry } from './skill-entry.ts';
import { readSkillFolder, type SkillFolder } from './skill-folder.ts';
import { ServedSkillSet } from './skill-set.ts';

/** Which skills a server has. */
export interface SkillsSpec {
  /** Folders of skills, by the path under which they are served: `{ 'acme/billing': './billing-skills' }`. */
  readonly folders?: Readonly<Record<string, string | URL>>;
  /** Skills whose files are generated when a client reads them. */
  readonly dynamic?: readonly DynamicSkill[];
  /** Which skills `skills/list` returns. Default: all. The others can still be loaded by URI. */
  readonly isListed?: (skill: SkillEntry) => boolean;
  /** Called for each file that is not served, with the reason. Default: prints to standard error. */
  readonly onWarning?: (warning: string) => void;
}

/**
 * Reads one or several folders of skills. A skill is a folder with a `SKILL.md`. Throws one error that lists every fault: missing or
 * malformed frontmatter, a name that differs from that of the folder, too many files or bytes.
 */
export async function skills(source: string | URL | SkillsSpec): Promise<SkillSet> {
  if (typeof source !== 'string') checkObject(source, 'skills(folder)', 'a folder, or { folders }');
  const spec: SkillsSpec = typeof source === 'string' || source instanceof URL ? { folders: { '': source } } : source;
  const warn = spec.onWarning ?? ((warning: string) => console.error(`mooring: ${warning}`));
  const read = async (): Promise<ServedSkills> =>
    serveSkills({
      ...(await readFolders(spec, warn)),
      dynamic: spec.dynamic ?? [],
      isListed: spec.isListed ?? (() => true),
    });
  const folders = Object.values(spec.folders ?? {}).map(pathOf);
  return new ServedSkillSet(await read(), { folders, read, warn });
}

const pathOf = (source: string | URL): string => (source instanceof URL ? fileURLToPath(source) : resolve(source));

async function readFolders(
  spec: SkillsSpec,
  warn: (warning: string) => void,
): Promise<Pick<SkillFolder, 'entries' | 'files'>> {
  const read: SkillFolder[] = [];
  for (const [prefix, source] of Object.entries(spec.folders ?? {})) {
    const folder = pathOf(source);
    if (!existsSync(folder)) throw badSkills([`${folder} does not exist`]);
    const isSkill = prefix === '' && existsSync(join(folder, 'SKILL.md'));
    read.push(
      await readSkillFolder(folder, isSkill ? [basename(folder)] : prefix.split('/').filter((one) => one !== '')),
    );
  }
  for (const warning of read.flatMap(({ warnings }) => warnings)) warn(warning);
  const entries = read.flatMap((one) => one.entries);
  const faults = [
    ...read.flatMap((one) => one.faults),
    ...duplicateFaults([...entries, ...(spec.dynamic ?? []).map(({ entry }) => entry)]),
  ];
  if (faults.length > 0) throw badSkills(faults);
  return { entries, files: read.flatMap(({ files }) => files) };
}

const badSkills = (faults: readonly string[]): McpError => badDefinition('skills', faults.join('\n  '));

const duplicateFaults = (entries: readonly SkillEntry[]): readonly string[] =>
  entries
    .filter(({ uri }, i) => entries.findIndex((one) => one.uri === uri) < i)
    .map(({ uri }) => `${uri} is served twice`);
