/** Functions that the TOML and YAML editors share: comparing values, and quoting strings. */
import { isObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';

/** Deep equality, independent of the order of members. */
export const isEqualValue = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** Copies an object with `value` at a path; undefined removes the member. */
export function withMember(all: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const members = Object.entries(isObject(all) ? all : {});
  const before = members.find(([name]) => name === key)?.[1];
  const after = withMember(before, rest, value);
  const others = members.filter(([name]) => name !== key);
  if (after === undefined) return Object.fromEntries(others);
  if (before === undefined) return Object.fromEntries([...others, [key, after]]);
  return Object.fromEntries(members.map(([name, one]) => [name, name === key ? after : one]));
}

/** Quotes a string as valid JSON, TOML and YAML. Escapes line separators, control characters and byte order marks. */
export const escapeText = (text: string): string =>
  JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Formats a value on one line. Strings are always quoted, so that none reads as another type. */
export function inlineText(value: unknown, startMember: (key: string) => string): string {
  const inside = (one: unknown): string => inlineText(one, startMember);
  if (typeof value === 'string') return escapeText(value);
  if (Array.isArray(value)) return `[${value.map(inside).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(([key, one]) => `${startMember(key)} ${inside(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
