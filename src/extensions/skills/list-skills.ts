/** Lists the skills of a server, for clients. The list is untrusted: every entry is validated, and pages, entries and size are limited. */
import type { Client } from '../../client/client.ts';
import type { RequestOptions } from '../../client/outgoing-call.ts';
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../model/caller.ts';
import { canonicalJson, digestText } from '../../model/canonical.ts';
import { checkMethod } from '../../model/check-argument.ts';
import { limitWarnings } from '../../model/limit-warnings.ts';
import { nextCursorIn } from '../../revisions/decode-lists.ts';
import { SKILLS_EXTENSION, type SkillEntry, skillEntryFault } from './skill-entry.ts';

/** The part of a client that the skill functions use. */
export type SkillSource = Pick<Client, 'request'>;

const MAX_PAGES = 64;
const MAX_SKILLS = 10_000;
/** Maximum length of all entries of a server, as JSON. */
const MAX_LISTING = 33_554_432;

/** Whether a server declares the skills extension. */
export const declaresSkills = ({ extensions = {} }: ServerCapabilities): boolean =>
  Object.hasOwn(extensions, SKILLS_EXTENSION);

/** Lists the skills of a server, without malformed entries. The server can have unlisted skills, which `loadSkill` loads by URI. */
export async function listSkills(
  client: SkillSource,
  onWarning: (warning: string) => void = () => undefined,
  options: RequestOptions = {},
): Promise<readonly SkillEntry[]> {
  checkMethod(client, 'request', 'listSkills(client)', 'a client, such as await connect(url)');
  const found: SkillEntry[] = [];
  const warn = limitWarnings(onWarning, 'skills/list');
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  let length = 0;
  do {
    const page: JsonObject = await client.request('skills/list', cursor === undefined ? {} : { cursor }, options);
    const listed = Array.isArray(page['skills']) ? page['skills'] : [];
    for (const entry of listed) {
      const fault = skillEntryFault(entry);
      length += JSON.stringify(entry).length;
      if (fault === undefined)
        found.push(entry as SkillEntry); // as just checked
      else warn(`A skill is left out of the list: ${fault}`);
    }
    cursor = nextCursorIn('skills/list', page);
    if (cursors.has(cursor))
      throw new McpError('MCP_CURSOR_LOOP', { method: 'skills/list', cursor: JSON.stringify(cursor?.slice(0, 100)) });
    cursors.add(cursor);
    if (found.length > MAX_SKILLS || cursors.size > MAX_PAGES) throw tooLong(MAX_SKILLS, 'skills');
    if (length > MAX_LISTING) throw tooLong(MAX_LISTING, 'characters');
  } while (cursor !== undefined);
  return found;
}

const tooLong = (limit: number, unit: string): McpError =>
  new McpError('MCP_LIST_TOO_LONG', { method: 'skills/list', limit, unit, setting: 'no setting' });

/** Fetches the current entry of one skill by its URI, listed or not. */
export async function getSkill(client: SkillSource, uri: string, options?: RequestOptions): Promise<SkillEntry> {
  const { skill } = await client.request('skills/get', { uri }, options);
  const entry = checkEntry(skill, uri);
  if (entry.uri !== uri) throw rejectedSkill(uri, `the server described another skill, ${entry.uri}`);
  return entry;
}

/** Returns a valid skill entry, or throws. */
export function checkEntry(value: unknown, uri: string): SkillEntry {
  const fault = skillEntryFault(value);
  if (fault !== undefined) throw rejectedSkill(uri, fault);
  return value as SkillEntry; // as just checked
}

/** A digest of the URIs and digests of all files of a skill. Store it with an approval, to detect changes. */
export const skillDigest = ({ uri, resources }: SkillEntry): Promise<string> =>
  digestText(
    canonicalJson([
      uri,
      resources === 'dynamic' ? resources : resources.map((one) => `${one.uri} ${one.digest}`).toSorted(),
    ]),
  );

export const rejectedSkill = (uri: string, why: string): McpError => new McpError('MCP_SKILL_REJECTED', { uri, why });
