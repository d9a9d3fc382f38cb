/**
 * What is odd about text of a server that a person or a model will read. It recognises how such attacks are commonly written;
 * that nothing is found proves nothing.
 */
import { checkMethod } from '../../model/check-argument.ts';
import { foldText } from './fold-text.ts';
import { escapeUnprintable, removeInvisible } from './invisible.ts';
import { type Oddity, oddityPatterns } from './oddities.ts';
import { findServerMentions, type OtherServers } from './other-servers.ts';

/** Something odd in a text. */
export interface TextFinding {
  readonly oddity: Oddity;
  /** Honest text hardly ever has it. */
  readonly strong: boolean;
  /** What was found. */
  readonly match: string;
  /** The place, written so that everything in it can be seen. */
  readonly excerpt: string;
}

/** Text beyond this is not looked at, which is odd in itself. */
const MAX_TEXT = 65_536;
const MAX_FINDINGS = 20;
const EXCERPT = 80;

/** The worst first, up to a limit. */
export const inspect = (text: string, others?: OtherServers): readonly TextFinding[] =>
  findOddities(text, others)
    .toSorted((a, b) => Number(b.strong) - Number(a.strong))
    .slice(0, MAX_FINDINGS);

/** All of them. */
export function findOddities(text: string, others?: OtherServers): readonly TextFinding[] {
  checkMethod(text, 'split', 'inspect(text)', 'a text');
  const looked = text.slice(0, MAX_TEXT);
  const read = foldText(looked);
  const found: TextFinding[] = [...findHidden(looked), ...findPatterns(read), ...findMixedScripts(looked)];
  if (others !== undefined) found.push(...findOtherServers(read, others));
  if (text.length > MAX_TEXT)
    found.push({ oddity: 'long', strong: true, match: '', excerpt: `${text.length} characters` });
  return found;
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

/** The findings as sentences for the user; `what` is their subject, such as `Its description`. */
export function warningsIn(what: string, text: string, others?: OtherServers): readonly string[] {
  return [...new Set(inspect(text, others).map((finding) => findingSentence(what, finding)))];
}

/** What kind of thing was found, without its words: `It tells a model to …`. */
export const findingSummary = (what: string, { oddity }: TextFinding): string => `${what} ${sentences[oddity]}`;

/** What was found, as a sentence about `what`. */
export const findingSentence = (what: string, { oddity, excerpt }: TextFinding): string =>
  `${what} ${sentences[oddity]}: ${oddity === 'long' ? excerpt : `"${excerpt}"`}`;

function* findPatterns(read: string): Generator<TextFinding> {
  for (const { oddity, strong, pattern } of oddityPatterns)
    for (const { 0: match, index } of read.matchAll(pattern))
      yield { oddity, strong, match, excerpt: around(read, index, match) };
}

function* findHidden(text: string): Generator<TextFinding> {
  const shown = escapeUnprintable(text);
  if (shown === text) return;
  const at = firstDifference(text, shown);
  const excerpt = cutOut(shown, at - EXCERPT / 2, at + EXCERPT);
  const match = [...new Set(shown.match(/\\u\{[\da-f]+\}/g))].join('');
  // A terminal is driven by what most people never see in a description.
  yield { oddity: removeInvisible(text) === text ? 'control' : 'hidden', strong: true, match, excerpt };
}

/** Letters that look alike in one word: Latin with Cyrillic or Greek. */
function* findMixedScripts(text: string): Generator<TextFinding> {
  for (const [word] of removeInvisible(text).matchAll(/[\p{L}\p{N}_-]{2,}/gu))
    if (/\p{sc=Latin}/u.test(word) && /[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}]/u.test(word.replace(/[µμ]/g, '')))
      yield { oddity: 'mixed', strong: true, match: word, excerpt: cutOut(word, 0, EXCERPT) };
}

function* findOtherServers(read: string, others: OtherServers): Generator<TextFinding> {
  for (const { at, name } of findServerMentions(read, others))
    yield { oddity: 'foreign', strong: true, match: name, excerpt: around(read, at, name) };
}

const around = (text: string, index: number, match: string): string =>
  escapeUnprintable(cutOut(text, index - 20, index + Math.min(match.length, EXCERPT) + 20));

/** A piece of a text, with a mark where something is left out. */
const cutOut = (text: string, from: number, to: number): string =>
  `${from > 0 ? '…' : ''}${text.slice(Math.max(0, from), to).trim()}${to < text.length ? '…' : ''}`;

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
