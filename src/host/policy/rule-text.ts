/** Formats rules on one line as they are written in code, and the facts that they matched. */
import { printable } from '../../model/printable.ts';
import type { Act } from '../act/act.ts';
import { maskText } from '../audit/mask-act.ts';
import { type ActMatch, nameToMatch } from './act-match.ts';

const MAX_FACT = 120;

/** `{ server: files, name: /^delete_/ }`, or `everything`. */
export function matchText(match: ActMatch): string {
  const members = Object.entries(match).map(([key, value]) => `${key}: ${valueText(value)}`);
  return members.length === 0 ? 'everything' : `{ ${members.join(', ')} }`;
}

export function valueText(value: unknown): string {
  if (value instanceof RegExp) return printable(String(value));
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value === 'function')
    return value.name === '' || value.name === 'where' ? 'function' : `function ${value.name}`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, one]) => `${printable(key)}: ${valueText(one)}`);
    return `{ ${members.join(', ')} }`;
  }
  return printable(String(value));
}

/** The facts that a match tested, for explanations. Arguments appear by name only. */
export function matchFacts(match: ActMatch, act: Act): string {
  const facts = Object.keys(match).map((key) => factText(key, match, act));
  return facts.length === 0 ? 'the rule matches everything' : facts.join(', ');
}

function factText(key: string, match: ActMatch, act: Act): string {
  if (key === 'arguments') return argumentsText(Object.keys(match.arguments ?? {}).map(printable));
  if (key === 'under')
    return `skills of ${printable([...new Set(act.under?.map(({ server }) => server))].join(', '))} are in use`;
  if (key === 'where') return 'its function matches';
  if (key === 'effects' && act.effects !== act.claimed)
    return `effects are ${act.effects} (${act.assumed ? 'assumed' : 'claimed'}: ${act.claimed})`;
  const value = key === 'name' ? nameToMatch(act) : String(act[key as keyof Act]); // the other keys of a match are keys of an act
  return `${key} ${key === 'effects' ? 'are' : 'is'} ${shorten(printable(maskText(value)))}`;
}

const argumentsText = (names: readonly string[]): string =>
  names.length === 1 ? `argument ${names[0]} matches` : `arguments ${names.join(' and ')} match`;

const shorten = (text: string): string => (text.length > MAX_FACT ? `${text.slice(0, MAX_FACT)}…` : text);
