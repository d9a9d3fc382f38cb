/** Types as text, and how tightly they hold together. */
import { isObject } from '../../jsonrpc/message.ts';
import { propertyKey, textLiteral } from './words.ts';

/** What has a higher rank needs parentheses inside of what has a lower one. */
const ranks = { atom: 0, operator: 1, and: 2, or: 3 } as const;

export interface TypeText {
  readonly text: string;
  readonly rank: number;
}

export const atom = (text: string): TypeText => ({ text, rank: ranks.atom });
export const unknown: TypeText = atom('unknown');
export const never: TypeText = atom('never');

export const arrayOf = (item: TypeText): TypeText => ({
  text: `readonly ${inside(item, ranks.atom)}[]`,
  rank: ranks.operator,
});

/** `text` has its brackets. */
export const tuple = (text: string): TypeText => ({ text: `readonly ${text}`, rank: ranks.operator });

/** Any one of them. What may be anything makes the rest of no account. */
export function union(types: readonly TypeText[]): TypeText {
  const texts = new Set(types.filter(({ text }) => text !== 'never').map(({ text }) => text));
  if (texts.has('unknown')) return unknown;
  if (texts.size <= 1) return types.find(({ text }) => text !== 'never') ?? never;
  return { text: [...texts].join(' | '), rank: ranks.or };
}

/** All of them at once. */
export function intersection(types: readonly TypeText[]): TypeText {
  const some = types.filter(({ text }) => text !== 'unknown');
  const texts = new Set(some.map((type) => inside(type, ranks.operator)));
  if (texts.size <= 1) return some[0] ?? unknown;
  return { text: [...texts].join(' & '), rank: ranks.and };
}

const inside = ({ text, rank }: TypeText, most: number): string => (rank > most ? `(${text})` : text);

/** The type that only this value has. */
export function literal(value: unknown): TypeText {
  if (typeof value === 'string') return atom(textLiteral(value));
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return atom(String(value));
  if (Array.isArray(value)) return tuple(`[${value.map((item) => literal(item).text).join(', ')}]`);
  if (!isObject(value)) return unknown;
  const members = Object.entries(value).map(([key, one]) => `readonly ${propertyKey(key)}: ${literal(one).text}`);
  return atom(members.length === 0 ? '{}' : `{ ${members.join('; ')} }`);
}
