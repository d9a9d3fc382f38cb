/** What a handler returned, as JSON text. */
import { badDefinition, type McpError, messageOf } from '../errors.ts';

/** Rejects what JSON has no word for: a Map or NaN would become `{}` or `null`, and the mistake would go unnoticed. */
export function serializeReturned(value: unknown, what: string): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'null';
  } catch (cause) {
    throw badDefinition(what, `it returned what JSON cannot express: ${messageOf(cause)}`);
  }
  if ((text === 'null' && value !== null) || (text === '{}' && isOpaque(value as object))) throw lostError(what, value); // only an object is written so
  const lost = text.includes('null') ? lostNumber(value) : undefined;
  if (lost !== undefined) throw lostError(what, lost);
  return text;
}

/** NaN or Infinity, which JSON has as null. What has a `toJSON` decides for itself. */
function lostNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : value;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return undefined;
  for (const member of Object.values(value)) {
    const lost = lostNumber(member);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

export const lostError = (what: string, value: unknown): McpError =>
  badDefinition(what, `it returned ${shown(value)}, which JSON cannot express. Return text, an object or a list`);

const shown = (value: unknown): unknown => (typeof value === 'number' ? value : Object.prototype.toString.call(value));

/** A Map, a promise or a generator keeps what it has where JSON does not look. A class with members, even undefined ones, does not. */
const isOpaque = (value: object): boolean =>
  Object.keys(value).length === 0 && ![Object.prototype, null].includes(Object.getPrototypeOf(value));
