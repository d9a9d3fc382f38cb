/** Validates the fields of elicitation forms (strings, numbers, booleans, choices) and their values. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { FormValue } from '../model/elicitation.ts';

export function isField(field: JsonObject): boolean {
  const { type, items } = field;
  if (type === 'array') return isObject(items) && choicesOf(items) !== undefined;
  return type === 'string' || type === 'number' || type === 'integer' || type === 'boolean';
}

/** The choices of a field: `enum`, or the `const`s of `oneOf` or `anyOf`, depending on the revision. Undefined if any value is valid. */
function choicesOf({ enum: names, oneOf, anyOf }: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(names)) return names;
  const titled = oneOf ?? anyOf;
  if (!Array.isArray(titled)) return undefined;
  return titled.map((one) => (isObject(one) ? one['const'] : undefined));
}

/** Describes why a value is invalid for the field; undefined if it is valid. */
export function fieldFault(name: string, field: JsonObject, value: unknown): string | undefined {
  const fault = faultIn(field, value);
  return fault === undefined ? undefined : `"${name}" must ${fault}`;
}

function faultIn(field: JsonObject, value: unknown): string | undefined {
  switch (field['type']) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'be true or false';
    case 'number':
    case 'integer':
      return numberFault(field, value);
    case 'array':
      return listFault(field, value);
    default:
      return textFault(field, value);
  }
}

function numberFault({ type, minimum, maximum }: JsonObject, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'be a number';
  if (type === 'integer' && !Number.isInteger(value)) return 'be a whole number';
  if (typeof minimum === 'number' && value < minimum) return `be at least ${minimum}`;
  return typeof maximum === 'number' && value > maximum ? `be at most ${maximum}` : undefined;
}

function listFault({ items, minItems, maxItems }: JsonObject, value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'be a list';
  if (typeof minItems === 'number' && value.length < minItems) return `have at least ${minItems} of the choices`;
  if (typeof maxItems === 'number' && value.length > maxItems) return `have at most ${maxItems} of the choices`;
  const choices = isObject(items) ? choicesOf(items) : undefined;
  // A Set, because a server can send a million choices, with as many of them as the default.
  const known = new Set(choices);
  const all = value.every((one) => typeof one === 'string' && known.has(one));
  return all ? undefined : `have choices out of ${JSON.stringify(choices)}`;
}

function textFault(field: JsonObject, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'be a string';
  const choices = choicesOf(field);
  if (choices !== undefined) return choices.includes(value) ? undefined : `be one of ${JSON.stringify(choices)}`;
  const { minLength, maxLength, format } = field;
  // JSON Schema counts characters, not UTF-16 units.
  const length = [...value].length;
  if (typeof minLength === 'number' && length < minLength) return `have at least ${minLength} characters`;
  if (typeof maxLength === 'number' && length > maxLength) return `have at most ${maxLength} characters`;
  const holds = typeof format === 'string' ? formats.get(format) : undefined;
  return holds === undefined || holds(value) ? undefined : `be a valid ${format}`;
}

const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const time = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

const formats: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['email', (value) => /^[^\s@]+@[^\s@]+$/.test(value)],
  ['uri', (value) => URL.canParse(value)],
  ['date', isDate],
  ['date-time', (value) => isDate(value.slice(0, 10)) && /^t$/i.test(value.charAt(10)) && time.test(value.slice(11))],
]);

function isDate(value: string): boolean {
  const [, year, month, day] = (date.exec(value) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  // Date normalizes 30 February to 2 March.
  const normalized = new Date(Date.UTC(year, month - 1, day));
  return normalized.getUTCMonth() === month - 1 && normalized.getUTCDate() === day;
}

/** Parses a line that the user typed. Text that is not a value of the field's type stays text, so that validation reports it. */
export function valueFromLine({ type }: JsonObject, line: string): FormValue {
  if (type === 'boolean') {
    if (/^(?:y|yes|true)$/i.test(line)) return true;
    return /^(?:n|no|false)$/i.test(line) ? false : line;
  }
  // `Number` reads blank text as 0.
  if (type === 'number' || type === 'integer')
    return line.trim() !== '' && Number.isFinite(Number(line)) ? Number(line) : line;
  if (type === 'array') return line.split(',').map((one) => one.trim());
  return line;
}
