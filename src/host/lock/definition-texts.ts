/** Collects the texts of a definition that a user or a model can read, including names. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { MAX_DEPTH } from '../../jsonrpc/read.ts';

/** All texts except those in icons and `_meta`. */
export function definitionTexts({ icons: _icons, _meta, ...definition }: JsonObject): string[] {
  const { name } = definition;
  return [...(typeof name === 'string' ? [splitName(name)] : []), ...textsIn(definition, 0)];
}

/** Includes all keys: a model also reads keywords that no program knows. */
function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return isDigest(value) ? [] : [value];
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, depth + 1));
  return Object.entries(value).flatMap(([key, one]) => {
    if (key === '$schema' && isDialect(one)) return [];
    // A file of a skill, without its extension: "forms.md" would count as a tool of a server "forms".
    const text = isDigest(one) ? key.replace(/\.\w{1,5}$/, '') : key;
    return [...new Set([text, splitName(text)]), ...textsIn(one, depth + 1)];
  });
}

/** The digest of a file, which would count as encoded text. */
const isDigest = (value: unknown): boolean => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);

/** A URL without a query, which is not counted as an address. */
const isDialect = (value: unknown): boolean => typeof value === 'string' && /^https?:\/\/[\w./-]+#?$/.test(value);

/** `sendMail` and `send_mail` as words. */
const splitName = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');
