/** Parses the frontmatter of a `SKILL.md`, YAML between two lines of three hyphens, to JSON. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';

/** Limits parsing time, which is quadratic in the number of keys. */
const MAX_LENGTH = 65_536;

/** Throws an `Error` that describes the fault. `text` can begin with a byte order mark. */
export async function readFrontmatter(text: string): Promise<JsonObject> {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match?.[1] === undefined)
    throw new Error('there is no frontmatter: the file must begin with "---", YAML and "---"');
  if (match[1].length > MAX_LENGTH) throw new Error(`the frontmatter has more than ${MAX_LENGTH} characters`);
  const { parseDocument } = await import('yaml');
  // YAML 1.2 core schema: no dates, and "yes" is text. Rejects duplicate keys, and does not process merge keys (<<).
  const document = parseDocument(match[1], { version: '1.2', schema: 'core', uniqueKeys: true, merge: false });
  const [fault] = document.errors;
  if (fault !== undefined) throw new Error(`the frontmatter is not valid YAML: ${fault.message.split('\n')[0]}`);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (!isObject(value)) throw new Error('the frontmatter must be a YAML mapping');
  const asJson = JSON.stringify(value, (_, one) => {
    if (typeof one === 'number' && !Number.isFinite(one))
      throw new Error('the frontmatter has a number that JSON cannot represent');
    return one as unknown;
  });
  return JSON.parse(asJson) as JsonObject; // a mapping, as just seen
}
