/** Skills of a server, for clients: list them, and load one with the user's approval. Every byte is verified before it is used. */

import type { Client } from '../../client/client.ts';
import { McpError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { fromBase64 } from '../../model/base64.ts';
import { canonicalJson, digestText } from '../../model/canonical.ts';
import { readFrontmatter } from './frontmatter.ts';
import { type SkillEntry, type SkillFile, skillEntryFault } from './skill-entry.ts';
import { skillPathOf } from './skill-uri.ts';

/** What is needed of a client. */
export type SkillSource = Pick<Client, 'request'>;

/** A skill that the user approved, with what its server listed then. */
export interface LoadedSkill {
  readonly entry: SkillEntry;
  /** The verified `SKILL.md`. Text of the server: give it to a model as such, under the server's name. */
  readonly text: string;
  /** Reads another file of the skill, by its path relative to `SKILL.md`. Throws for a file that was not listed or has changed. */
  read(path: string): Promise<Uint8Array>;
}

const MAX_PAGES = 64;
const MAX_SKILLS = 10_000;

/** The skills that a server lists. It can have others: `loadSkill` takes any URI. Malformed entries are left out. */
export async function listSkills(
  client: SkillSource,
  onWarning: (warning: string) => void = () => undefined,
): Promise<readonly SkillEntry[]> {
  const found: SkillEntry[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  do {
    const page: JsonObject = await client.request('skills/list', cursor === undefined ? {} : { cursor });
    const listed = Array.isArray(page['skills']) ? page['skills'] : [];
    for (const entry of listed) {
      const fault = skillEntryFault(entry);
      if (fault === undefined)
        found.push(entry as SkillEntry); // as just checked
      else onWarning(`A skill is left out of the list: ${fault}`);
    }
    cursor = page['nextCursor'];
    if (cursors.has(cursor)) throw new McpError('MCP_CURSOR_LOOP', { method: 'skills/list', cursor: String(cursor) });
    cursors.add(cursor);
    if (cursors.size > MAX_PAGES || found.length > MAX_SKILLS) throw tooLong();
  } while (typeof cursor === 'string');
  return found;
}

const tooLong = (): McpError =>
  new McpError('MCP_LIST_TOO_LONG', {
    method: 'skills/list',
    limit: MAX_SKILLS,
    unit: 'skills',
    setting: 'no setting',
  });

/** One text for the files and digests of a skill: what an approval is bound to. */
export const skillDigest = ({ uri, resources }: SkillEntry): Promise<string> =>
  digestText(
    canonicalJson([
      uri,
      resources === 'dynamic' ? resources : resources.map((one) => `${one.uri} ${one.digest}`).toSorted(),
    ]),
  );

/**
 * Loads a skill that was listed, or one by its URI. `approve` gets its entry, and its digest to remember an approval by; nothing of
 * the skill is read before it returns true. Throws `MCP_SKILL_REJECTED` when the skill cannot be verified or its content is not
 * what was approved.
 */
export async function loadSkill(
  client: SkillSource,
  skill: SkillEntry | string,
  approve: (entry: SkillEntry, digest: string) => boolean | Promise<boolean>,
): Promise<LoadedSkill | undefined> {
  const entry = typeof skill === 'string' ? await getSkill(client, skill) : checked(skill, skill.uri);
  const { uri, resources } = entry;
  if (resources === 'dynamic') throw rejected(uri, 'its files are made when they are read, so they cannot be verified');
  if (!(await approve(entry, await skillDigest(entry)))) return undefined;
  const held = new Map(resources.map((file) => [file.uri, file]));
  const bytes = await readVerified(client, held, uri);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  await checkFrontmatter(entry, text);
  return { entry, text, read: (path) => readVerified(client, held, fileUri(uri, path, held)) };
}

async function getSkill(client: SkillSource, uri: string): Promise<SkillEntry> {
  const { skill } = await client.request('skills/get', { uri });
  const entry = checked(skill, uri);
  if (entry.uri !== uri) throw rejected(uri, `the server described another skill, ${entry.uri}`);
  return entry;
}

function checked(value: unknown, uri: string): SkillEntry {
  const fault = skillEntryFault(value);
  if (fault !== undefined) throw rejected(uri, fault);
  return value as SkillEntry; // as just checked
}

/** The held file that a path means: as it is written, or with its segments encoded. */
function fileUri(uri: string, path: string, held: ReadonlyMap<string, SkillFile>): string {
  const { folder } = skillPathOf(uri) ?? { folder: '' };
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return [folder + path, folder + encoded].find((one) => held.has(one)) ?? folder + path;
}

async function readVerified(
  client: SkillSource,
  held: ReadonlyMap<string, SkillFile>,
  uri: string,
): Promise<Uint8Array> {
  const file = held.get(uri);
  if (file === undefined) throw rejected(uri, 'it is not among the files that were approved');
  const { contents } = await client.request('resources/read', { uri });
  const found: unknown = Array.isArray(contents)
    ? contents.find((one) => isObject(one) && one['uri'] === uri)
    : undefined;
  const bytes = isObject(found) ? bytesOf(found) : undefined;
  if (bytes === undefined) throw rejected(uri, 'the server sent no content for it');
  // Length first: what is too long is not hashed.
  if (bytes.length !== file.size) throw rejected(uri, `it has ${bytes.length} bytes, and ${file.size} were listed`);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const digest = `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  if (digest !== file.digest) throw rejected(uri, 'its content is not what was listed');
  return bytes;
}

function bytesOf({ text, blob }: JsonObject): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text === 'string') return new TextEncoder().encode(text);
  return typeof blob === 'string' ? fromBase64(blob) : undefined;
}

/** The user approved what the entry says; the file must say the same, field by field. */
async function checkFrontmatter({ uri, frontmatter }: SkillEntry, text: string): Promise<void> {
  const own = await readFrontmatter(text).catch((error: unknown) => {
    throw rejected(uri, error instanceof Error ? error.message : String(error));
  });
  const keys = new Set([...Object.keys(own), ...Object.keys(frontmatter)]);
  const differing = [...keys].filter(
    (key) =>
      canonicalJson(own[key] ?? null) !== canonicalJson(frontmatter[key] ?? null) ||
      Object.hasOwn(own, key) !== Object.hasOwn(frontmatter, key),
  );
  if (differing.length > 0) throw rejected(uri, `its frontmatter differs from its entry: ${differing.join(', ')}`);
}

const rejected = (uri: string, why: string): McpError => new McpError('MCP_SKILL_REJECTED', { uri, why });
