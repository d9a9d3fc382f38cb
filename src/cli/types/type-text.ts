/** Builds TypeScript types as text, with operator precedence. Escapes untrusted names and texts. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';

/** Operator precedence: a type with a higher rank needs parentheses inside one with a lower rank. */
const ranks = { atom: 0, operator: 1, and: 2, or: 3 } as const;

export interface TypeText {
  readonly text: string;
  readonly rank: number;
}

export const atom = (text: string): TypeText => ({ text, rank: ranks.atom });
export const unknown: TypeText = atom('unknown');
export const never: TypeText = atom('never');

export const arrayOf = (item: TypeText): TypeText => ({
  text: `readonly ${parenthesize(item, ranks.atom)}[]`,
  rank: ranks.operator,
});

/** `text` includes the brackets. */
export const tuple = (text: string): TypeText => ({ text: `readonly ${text}`, rank: ranks.operator });

/** `unknown` absorbs all other members. */
export function union(types: readonly TypeText[]): TypeText {
  const texts = new Set(types.filter(({ text }) => text !== 'never').map(({ text }) => text));
  if (texts.has('unknown')) return unknown;
  if (texts.size <= 1) return types.find(({ text }) => text !== 'never') ?? never;
  return { text: [...texts].join(' | '), rank: ranks.or };
}

/** Leaves out `unknown`. */
function intersection(types: readonly TypeText[]): TypeText {
  const some = types.filter(({ text }) => text !== 'unknown');
  const texts = new Set(some.map((type) => parenthesize(type, ranks.operator)));
  if (texts.size <= 1) return some[0] ?? unknown;
  return { text: [...texts].join(' & '), rank: ranks.and };
}

/** Intersects `own`, the types of the schema's own keywords, with its `allOf`, `anyOf` and `oneOf`, converted by `write`. */
export function combinedType(
  own: readonly TypeText[],
  schema: JsonObject,
  write: (one: unknown) => TypeText,
): TypeText {
  const { allOf, anyOf, oneOf } = schema;
  const each = (list: unknown): TypeText[] => (Array.isArray(list) ? list.map(write) : []);
  const choices = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [union(each(list))] : []));
  return intersection([...own, ...each(allOf), ...choices]);
}

/** The values of `type`, or the type that other keywords imply; `[undefined]` for any type. */
export function typesIn({
  type,
  properties,
  additionalProperties,
  items,
  prefixItems,
}: JsonObject): readonly unknown[] {
  if (Array.isArray(type)) return type;
  if (type !== undefined) return [type];
  if (isObject(properties) || isObject(additionalProperties)) return ['object'];
  return [items === undefined && prefixItems === undefined ? undefined : 'array'];
}

const parenthesize = ({ text, rank }: TypeText, most: number): string => (rank > most ? `(${text})` : text);

export function literal(value: unknown): TypeText {
  if (typeof value === 'string') return atom(textLiteral(value));
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return atom(String(value));
  if (Array.isArray(value)) return tuple(`[${value.map((item) => literal(item).text).join(', ')}]`);
  if (!isObject(value)) return unknown;
  const members = Object.entries(value).map(([key, one]) => `readonly ${propertyKey(key)}: ${literal(one).text}`);
  return atom(members.length === 0 ? '{}' : `{ ${members.join('; ')} }`);
}

const LONGEST = 60;

export class TakenNames {
  readonly #taken: Set<string>;
  /** The last number of each name: thousands can be equal. */
  readonly #numbers: Map<string, number> = new Map();

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** `get_user` and `Input` make `GetUserInput`, or `GetUserInput2` if that is taken. */
  fresh(...words: readonly string[]): string {
    const name = pascal(words.join(' '));
    let number = (this.#numbers.get(name) ?? 0) + 1;
    while (this.#taken.has(numbered(name, number))) number++;
    this.#numbers.set(name, number);
    this.#taken.add(numbered(name, number));
    return numbered(name, number);
  }
}

const numbered = (name: string, number: number): string => (number === 1 ? name : `${name}${number}`);

/** Drops non-ASCII letters, for portability; the original name is still used as a quoted key. */
function pascal(text: string): string {
  const words = text.split(/[^A-Za-z\d]+/).filter((word) => word !== '');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return (/^[A-Z]/.test(name) ? name : `T${name}`).slice(0, LONGEST);
}

/** A string literal type, escaped. */
export const textLiteral = (text: string): string => printable(JSON.stringify(text));

export const propertyKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name));

/** `orders://{id}` as a template literal type. */
export function templateLiteral(template: string): string {
  const texts = template.split(/\{[^}]*\}/).map((text) => printable(text.replace(/[\\`$]/g, '\\$&')));
  return texts.length === 1 ? textLiteral(template) : `\`${texts.join(`\${string}`)}\``;
}

/** A doc comment, or no lines for empty text. Escapes comment terminators in the text. */
export function commentLines(text: string | undefined, indent: string): readonly string[] {
  const lines = (text ?? '')
    .trim()
    .split(/\r?\n/)
    .map((line) => printable(line.trimEnd().replaceAll('\t', '  ')).replaceAll('*/', '*\\/'));
  if (lines.every((line) => line === '')) return [];
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}
