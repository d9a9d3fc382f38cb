/** Reads a folder of skills for `skills()`: every subfolder with a `SKILL.md`, with the bytes and digests of its files. */
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.ts';
import { readFileBytes } from '../../files/read-file.ts';
import { readFrontmatter } from './frontmatter.ts';
import {
  frontmatterFault,
  MAX_SKILL_BYTES,
  MAX_SKILL_FILES,
  type SkillEntry,
  type SkillFrontmatter,
} from './skill-entry.ts';
import { skillUri } from './skill-uri.ts';

/** A file of a skill, loaded into memory. */
export interface ServedFile {
  readonly uri: string;
  /** The segments of its path, for directories. */
  readonly segments: readonly string[];
  readonly bytes: Uint8Array;
  readonly digest: string;
}

export interface SkillFolder {
  readonly entries: readonly SkillEntry[];
  readonly files: readonly ServedFile[];
  /** One sentence for each fault. If there are any, `skills()` throws. */
  readonly faults: readonly string[];
  /** One sentence for each file that is not served. */
  readonly warnings: readonly string[];
}

/** Reads all skills in a folder and its subfolders. Prepends `prefix` to their paths. */
export async function readSkillFolder(folder: string, prefix: readonly string[]): Promise<SkillFolder> {
  const warnings: string[] = [];
  const files = await collectFiles(folder, prefix, warnings);
  const roots = files
    .filter(({ segments }) => segments.at(-1) === 'SKILL.md')
    .map(({ segments }) => segments.slice(0, -1));
  const faults: string[] = [];
  const entries: SkillEntry[] = [];
  const served = new Set<ServedFile>();
  if (roots.length === 0) faults.push(`${folder}: there is no SKILL.md in it or below it`);
  for (const root of roots) {
    const own = files.filter(({ segments }) => root.every((segment, i) => segments[i] === segment));
    const found = await readSkill(root, own);
    if (typeof found === 'string') faults.push(`${join(folder, ...root.slice(prefix.length))}: ${found}`);
    else entries.push(found);
    // A nested skill shares its files with the outer one.
    for (const file of own) served.add(file);
  }
  return { entries, files: [...served], faults, warnings };
}

/** Returns the entry of one skill, or its fault. */
async function readSkill(root: readonly string[], files: readonly ServedFile[]): Promise<SkillEntry | string> {
  const uri = skillUri([...root, 'SKILL.md']);
  const main = files.find((file) => file.uri === uri);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.length > MAX_SKILL_FILES) return `it has ${files.length} files, and the limit is ${MAX_SKILL_FILES}`;
  if (bytes > MAX_SKILL_BYTES) return `it has ${bytes} bytes, and the limit is ${MAX_SKILL_BYTES}`;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(main?.bytes);
    const frontmatter = await readFrontmatter(text);
    const fault = frontmatterFault(frontmatter);
    if (fault !== undefined) return fault;
    const name = root.at(-1);
    if (frontmatter['name'] !== name)
      return `its folder is called "${name}" and its frontmatter says "${String(frontmatter['name'])}"; rename one of them`;
    const resources = files.map((file) => ({ uri: file.uri, digest: file.digest, size: file.bytes.length }));
    return { uri, frontmatter: frontmatter as SkillFrontmatter, resources }; // as just checked
  } catch (error) {
    return messageOf(error);
  }
}

/** Reads all regular files below a folder, sorted by name. Skips hidden files, which can be secrets, and links, which can lead outside. */
async function collectFiles(folder: string, prefix: readonly string[], warnings: string[]): Promise<ServedFile[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const files: ServedFile[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const segments = [...prefix, entry.name];
    const reason = skipReason(entry);
    if (reason !== undefined) warnings.push(`${path} is not served: ${reason}`);
    else if (entry.isDirectory()) files.push(...(await collectFiles(path, segments, warnings)));
    else files.push(await readServedFile(path, segments));
  }
  return files;
}

async function readServedFile(path: string, segments: readonly string[]): Promise<ServedFile> {
  const bytes = (await readFileBytes(path, { maxBytes: MAX_SKILL_BYTES, noLinks: true })) ?? new Uint8Array();
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { uri: skillUri(segments), segments, bytes, digest };
}

function skipReason(entry: Dirent): string | undefined {
  if (entry.name.startsWith('.')) return 'its name begins with a dot';
  if (entry.isSymbolicLink()) return 'it is a symbolic link';
  return entry.isDirectory() || entry.isFile() ? undefined : 'it is not a regular file';
}
