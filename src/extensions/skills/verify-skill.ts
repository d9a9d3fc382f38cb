/** Fetches and verifies files of a skill: only files that its entry lists, with the size and digest that the entry states. */
import type { RequestOptions } from '../../client/outgoing-call.ts';
import { messageOf } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { fromBase64 } from '../../model/base64.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { readFrontmatter } from './frontmatter.ts';
import { rejectedSkill, type SkillSource } from './list-skills.ts';
import { decodeSkillText, isUnsafeSegment, MAX_SKILL_BYTES, type SkillEntry, type SkillFile } from './skill-entry.ts';
import { skillPathOf } from './skill-uri.ts';

/** Finds the file for a path, whose segments can be percent-encoded in the entry. Throws for a file that the entry does not list. */
export function skillFile({ uri, resources }: SkillEntry, path: string): Pick<SkillFile, 'uri'> & Partial<SkillFile> {
  const { folder } = skillPathOf(uri) ?? { folder: '' };
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const found =
    resources !== 'dynamic'
      ? resources.find((one) => one.uri === folder + path || one.uri === folder + encoded)
      : path.split('/').some(isUnsafeSegment)
        ? undefined
        : { uri: folder + encoded };
  if (found === undefined) throw rejectedSkill(folder + path, 'it is not among the files that were approved');
  return found;
}

/** Fetches the bytes of a resource, unverified. */
export async function fetchSkillFile(
  client: SkillSource,
  uri: string,
  options?: RequestOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { contents } = await client.request('resources/read', { uri }, options);
  const found: unknown = Array.isArray(contents)
    ? contents.find((one) => isObject(one) && one['uri'] === uri)
    : undefined;
  const bytes = isObject(found) ? bytesOf(found) : undefined;
  if (bytes === undefined) throw rejectedSkill(uri, 'the server sent no content for it');
  return bytes;
}

/** Checks the size first, so that a file that is too long is not hashed. Files of a dynamic skill have no digest; only the size limit applies. */
export async function verifySkillFile(
  { uri, size, digest }: Pick<SkillFile, 'uri'> & Partial<SkillFile>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  if (size === undefined) {
    if (bytes.length > MAX_SKILL_BYTES) throw rejectedSkill(uri, `it has more than ${MAX_SKILL_BYTES} bytes`);
    return;
  }
  if (bytes.length !== size) throw rejectedSkill(uri, `it has ${bytes.length} bytes, and ${size} were listed`);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const found = `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  if (found !== digest) throw rejectedSkill(uri, 'its content does not match its listed digest');
}

function bytesOf({ text, blob }: JsonObject): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text === 'string') return new TextEncoder().encode(text);
  return typeof blob === 'string' ? fromBase64(blob) : undefined;
}

/** The text of a verified `SKILL.md`. Throws if its frontmatter differs from the entry that the user approved. */
export async function skillText({ uri, frontmatter }: SkillEntry, bytes: Uint8Array): Promise<string> {
  const text = decodeSkillText(bytes);
  if (text === undefined) throw rejectedSkill(uri, 'it is not UTF-8 text');
  const own = await readFrontmatter(text).catch((error: unknown) => {
    throw rejectedSkill(uri, messageOf(error));
  });
  const keys = new Set([...Object.keys(own), ...Object.keys(frontmatter)]);
  const differing = [...keys].filter(
    (key) =>
      canonicalJson(own[key] ?? null) !== canonicalJson(frontmatter[key] ?? null) ||
      Object.hasOwn(own, key) !== Object.hasOwn(frontmatter, key),
  );
  if (differing.length > 0) throw rejectedSkill(uri, `its frontmatter differs from its entry: ${differing.join(', ')}`);
  return text;
}
