/**
 * What is odd about text of a server that a person or a model will read. It recognises how such attacks are commonly written;
 * that nothing is found proves nothing.
 */

import { type Oddity, oddities } from './oddities.ts';
import { plain } from './plain.ts';
import { legible, seen } from './unseen.ts';

export interface Finding {
  readonly oddity: Oddity;
  /** Honest text hardly ever has it. */
  readonly strong: boolean;
  /** The place, written so that everything in it can be seen. */
  readonly excerpt: string;
}

/** What other servers are called, so that text about them is noticed. */
export interface Surroundings {
  readonly labels: readonly string[];
  /** As their own servers call them. */
  readonly tools: readonly string[];
}

/** Text beyond this is not looked at, which is odd in itself. */
const MAX_TEXT = 65_536;
const MAX_FINDINGS = 20;
const EXCERPT = 80;

export function inspect(text: string, others?: Surroundings): readonly Finding[] {
  const looked = text.slice(0, MAX_TEXT);
  const read = plain(looked);
  const found: Finding[] = [...hidden(looked), ...written(read), ...mixed(looked)];
  if (others !== undefined) found.push(...foreign(read, others));
  if (text.length > MAX_TEXT) found.push({ oddity: 'long', strong: true, excerpt: `${text.length} characters` });
  return found.slice(0, MAX_FINDINGS);
}

const sentences: Readonly<Record<Oddity, string>> = {
  hidden: 'contains characters that cannot be seen',
  control: 'contains characters that drive a terminal',
  mixed: 'mixes alphabets within a word, as forged names do',
  markup: 'contains markup that is meant for a model',
  override: 'tells a model to disregard what it was told',
  concealment: 'tells a model to keep something from you',
  exfiltration: 'tells a model to pass on what it knows',
  path: 'names files that hold secrets',
  order: 'gives orders to a model',
  secret: 'asks for a secret',
  url: 'contains an address',
  blob: 'contains encoded text',
  foreign: 'speaks of another server or its tools',
  long: 'is too long to be looked through',
};

/** The findings as sentences for whoever decides; `what` is their subject, such as `Its description`. */
export function warningsIn(what: string, text: string, others?: Surroundings): readonly string[] {
  const found = inspect(text, others);
  return [...new Set(found.map(({ oddity, excerpt }) => `${what} ${sentences[oddity]}: ${excerpt}`))];
}

function* written(read: string): Generator<Finding> {
  for (const { oddity, strong, pattern } of oddities)
    for (const match of read.matchAll(pattern)) yield { oddity, strong, excerpt: around(read, match.index, match[0]) };
}

function* hidden(text: string): Generator<Finding> {
  const shown = legible(text);
  if (shown === text) return;
  const at = firstDifference(text, shown);
  const excerpt = shown.slice(Math.max(0, at - EXCERPT / 2), at + EXCERPT);
  // A terminal is driven by what most people never see in a description.
  yield { oddity: seen(text) === text ? 'control' : 'hidden', strong: true, excerpt };
}

/** Letters that look alike in one word: Latin with Cyrillic or Greek. */
function* mixed(text: string): Generator<Finding> {
  for (const [word] of seen(text).matchAll(/[\p{L}\p{N}_-]{2,}/gu)) {
    const latin = /\p{Script=Latin}/u.test(word);
    if (
      latin &&
      /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(word.replace(/µ/g, ''))
    )
      yield { oddity: 'mixed', strong: true, excerpt: word.slice(0, EXCERPT) };
  }
}

function* foreign(read: string, { labels, tools }: Surroundings): Generator<Finding> {
  for (const label of labels) {
    const name = escaped(label.toLowerCase());
    const said = new RegExp(
      `(?<![\\w.-])${name}(?:\\.|__)\\w|(?<![\\w-])["'\`]?${name}["'\`]? (?:mcp )?(?:server|tool)s?\\b`,
      'u',
    ).exec(read);
    if (said !== null) yield { oddity: 'foreign', strong: true, excerpt: around(read, said.index, said[0]) };
  }
  for (const tool of tools.filter(isDistinctive)) {
    const said = new RegExp(`(?<![\\w-])${escaped(plain(tool))}(?![\\w-])`, 'u').exec(read);
    if (said !== null) yield { oddity: 'foreign', strong: true, excerpt: around(read, said.index, said[0]) };
  }
}

/** `search` is a word like any other; `send_message` is a name. */
const isDistinctive = (name: string): boolean => name.length >= 6 && /[_.-]|[a-z][A-Z]/.test(name.slice(1, -1));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

const around = (text: string, index: number, match: string): string =>
  legible(text.slice(Math.max(0, index - 20), index + Math.min(match.length, EXCERPT) + 20)).trim();

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
