/** Describes the syntax of a call, and the expected type of a value, for error messages. */
import { shellWord } from '../../model/shell-word.ts';
import type { SchemaView } from './schema-view.ts';

const MAX_CHOICES = 8;
const MAX_KEYS = 24;

/** `refund order=<text> [days=<integer>]`. Names and choices are quoted, because users paste this into a shell. */
export function callSyntax(name: string, view: SchemaView): string {
  const required = new Set(view.required);
  // Required arguments first.
  const keys = view.keys.toSorted((a, b) => Number(required.has(b)) - Number(required.has(a)));
  const pairs = keys.slice(0, MAX_KEYS).map((key) => {
    const pair = `${spelled(key)}=${shape(view.declared(key) ?? view)}`;
    return required.has(key) ? pair : `[${pair}]`;
  });
  if (keys.length > MAX_KEYS) pairs.push('…');
  if (view.others !== undefined) pairs.push('[key=<value> …]');
  return [spelled(name), ...pairs].join(' ');
}

/** `a number`, `one of s, m`: completes "expected …". */
export function describeExpectedValue(view: SchemaView): string {
  const { types, choices } = view;
  const kinds = types.map((type) => inWords.get(type) ?? type);
  if (choices !== undefined) {
    const some = choices
      .slice(0, MAX_CHOICES * 2)
      .map(spelled)
      .join(', ');
    const more = choices.length > MAX_CHOICES * 2 ? ', …' : '';
    return `one of ${some}${more}`;
  }
  return kinds.length === 0 ? 'a value' : kinds.join(' or ');
}

const inWords: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['null', 'null'],
  ['array', 'a list (repeat the key, or write JSON)'],
  ['object', 'an object (write JSON, or key.member=value)'],
]);

function shape(view: SchemaView): string {
  const { types, choices } = view;
  if (choices !== undefined && choices.length <= MAX_CHOICES) return choices.map(spelled).join('|');
  const [type] = types.filter((one) => one !== 'null');
  if (type === 'array') return `${shape(view.items)} …`;
  if (type === 'object') return '<json>';
  if (type === 'boolean') return 'true|false';
  if (type === 'string') return '<text>';
  // An unknown type is any text of the server.
  return type === 'number' || type === 'integer' ? `<${type}>` : '<value>';
}

function spelled(choice: unknown): string {
  const text = typeof choice === 'string' ? choice : JSON.stringify(choice);
  return /^[\p{L}\p{N}_.:/-]+$/u.test(text) ? text : shellWord(text);
}
