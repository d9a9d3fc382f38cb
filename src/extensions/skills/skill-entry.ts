/** The entry of a skill in `skills/list` and `skills/get`, and validation of entries from other servers. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { skillPathOf } from './skill-uri.ts';

export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
/** Limits for the files of one skill: their number, and their total size. */
export const MAX_SKILL_FILES = 512;
export const MAX_SKILL_BYTES = 16_777_216;

/** One file of a skill, with the size and digest that its content must have. */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 lower-case hexadecimal digits, over the raw bytes. */
  readonly digest: string;
  readonly size: number;
}

/** The frontmatter of a `SKILL.md`, as JSON. */
export type SkillFrontmatter = JsonObject & { readonly name: string; readonly description: string };

/** The description of a skill by its server. */
export interface SkillEntry {
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** All files of the skill, or `dynamic` if they are generated when they are read and cannot be verified. */
  readonly resources: readonly SkillFile[] | 'dynamic';
}

/** Decodes UTF-8; undefined for other bytes. Preserves byte order mark and line ends, because the digest covers them. */
export function decodeSkillText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const skillName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The fault of a frontmatter; undefined if it is valid. */
export function frontmatterFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'the frontmatter must be a YAML mapping';
  const { name, description } = value;
  if (typeof name !== 'string' || name.length > 64 || !skillName.test(name)) {
    return `"name" must be 1 to 64 lower-case letters, digits and single hyphens, not ${JSON.stringify(name)}`;
  }
  if (typeof description !== 'string' || description.trim() === '' || description.length > 1_024) {
    return '"description" must be 1 to 1,024 characters of text';
  }
  return undefined;
}

/** The fault of an entry; undefined if it is valid. */
export function skillEntryFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'the entry is not an object';
  const { uri, frontmatter, resources } = value;
  // Rejects blanks, quotes and control characters, which no URI contains and which could be an injection where the URI is shown.
  const path = typeof uri === 'string' && !/[\s"<>\p{C}]/u.test(uri) ? skillPathOf(uri) : undefined;
  if (path === undefined) return '"uri" must be the URI of a SKILL.md';
  const head = frontmatterFault(frontmatter);
  if (head !== undefined) return head;
  if (path.name !== (frontmatter as SkillFrontmatter).name) return 'the last segment of its path is not its name';
  if (resources === 'dynamic') return undefined;
  if (!Array.isArray(resources)) return '"resources" must be a list of files or "dynamic"';
  return filesFault(resources, String(uri), path.folder);
}

function filesFault(files: readonly unknown[], uri: string, folder: string): string | undefined {
  if (files.length > MAX_SKILL_FILES) return `it has ${files.length} files, and the limit is ${MAX_SKILL_FILES}`;
  const seen = new Set<string>();
  let bytes = 0;
  for (const file of files) {
    const fault = fileFault(file, folder);
    if (fault !== undefined) return fault;
    const { uri: at, size } = file as SkillFile; // as just seen
    if (seen.has(at)) return `the file ${at} is listed twice`;
    seen.add(at);
    bytes += size;
  }
  if (bytes > MAX_SKILL_BYTES) return `it has ${bytes} bytes, and the limit is ${MAX_SKILL_BYTES}`;
  return seen.has(uri) ? undefined : 'its own SKILL.md is not among its files';
}

function fileFault(file: unknown, folder: string): string | undefined {
  if (!isObject(file) || typeof file['uri'] !== 'string') return 'a file without "uri"';
  const { uri, digest, size } = file;
  const rest = String(uri).slice(folder.length);
  if (!String(uri).startsWith(folder) || rest.split('/').some(isUnsafeSegment))
    return `the file ${uri} is outside of the skill`;
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest)) return `the digest of ${uri} is malformed`;
  return Number.isSafeInteger(size) && (size as number) >= 0 ? undefined : `the size of ${uri} is malformed`;
}

/** Whether a segment allows path traversal: empty, `.`, `..`, or with an encoded slash or a backslash. */
export const isUnsafeSegment = (segment: string): boolean =>
  /^(?:\.|%2e){0,2}$/i.test(segment) || /%2f|%5c|\\/i.test(segment);
