/**
 * Inspects text of a server for prompt injection and other attacks on a model or a user. It recognizes common forms of such attacks;
 * a text without findings is not proven safe.
 */
import { checkMethod } from '../../model/check-argument.ts';
import { removeUnseen } from '../../model/printable.ts';
import { foldText } from './fold-text.ts';
import { escapeUnprintable } from './invisible.ts';
import { type Oddity, oddityPatterns } from './oddities.ts';
import { findServerMentions, type NamesOfOthers, type OtherServers } from './other-servers.ts';

/** A suspicious part of a text. */
export interface TextFinding {
  readonly oddity: Oddity;
  /** Whether honest text hardly ever has it. */
  readonly strong: boolean;
  /** The text that was found. */
  readonly match: string;
  /** The text around the match, with invisible characters escaped. */
  readonly excerpt: string;
}

/** Text beyond this is not inspected. A longer text is suspicious in itself. */
const MAX_TEXT = 65_536;
const MAX_FINDINGS = 20;
const EXCERPT = 80;

/** Finds suspicious parts of a text. Returns up to 20, strong ones first. */
export const inspect = (text: string, others?: OtherServers): readonly TextFinding[] =>
  findOddities(text, others)
    .toSorted((a, b) => Number(b.strong) - Number(a.strong))
    .slice(0, MAX_FINDINGS);

/** Returns all findings. */
export function findOddities(text: string, others?: NamesOfOthers): readonly TextFinding[] {
  checkMethod(text, 'split', 'inspect(text)', 'a text');
  const start = text.slice(0, MAX_TEXT);
  const folded = foldText(start);
  const found: TextFinding[] = [...findHidden(start), ...findPatterns(folded), ...findMixedScripts(start)];
  if (others !== undefined) found.push(...findOtherServers(folded, others));
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

/** The kind of a finding as a sentence about `what`, without the text itself: `It tells a model to …`. */
export const findingSummary = (what: string, { oddity }: TextFinding): string => `${what} ${sentences[oddity]}`;

/** A finding as a sentence about `what`, with an excerpt of the text. */
export const findingSentence = (what: string, { oddity, excerpt }: TextFinding): string =>
  `${what} ${sentences[oddity]}: ${oddity === 'long' ? excerpt : `"${excerpt}"`}`;

function* findPatterns(folded: string): Generator<TextFinding> {
  for (const { oddity, strong, pattern } of oddityPatterns)
    for (const { 0: match, index } of folded.matchAll(pattern))
      yield { oddity, strong, match, excerpt: excerptAround(folded, index, match) };
}

function* findHidden(text: string): Generator<TextFinding> {
  const shown = escapeUnprintable(text);
  if (shown === text) return;
  const at = firstDifference(text, shown);
  const excerpt = sliceWithEllipsis(shown, at - EXCERPT / 2, at + EXCERPT);
  const match = [...new Set(shown.match(/\\u\{[\da-f]+\}/g))].join('');
  // Characters that were escaped but are not invisible are control characters.
  yield { oddity: removeUnseen(text) === text ? 'control' : 'hidden', strong: true, match, excerpt };
}

/** Finds words that mix Latin with letters of other alphabets that look alike. */
function* findMixedScripts(text: string): Generator<TextFinding> {
  for (const [word] of removeUnseen(text).matchAll(/[\p{L}\p{N}_-]{2,}/gu))
    if (/\p{sc=Latin}/u.test(word) && /[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}\p{sc=Cher}]/u.test(word.replace(/[µμ]/g, '')))
      yield { oddity: 'mixed', strong: true, match: word, excerpt: sliceWithEllipsis(word, 0, EXCERPT) };
}

function* findOtherServers(folded: string, others: NamesOfOthers): Generator<TextFinding> {
  for (const { at, name } of findServerMentions(folded, others))
    yield { oddity: 'foreign', strong: true, match: name, excerpt: excerptAround(folded, at, name) };
}

const excerptAround = (text: string, index: number, match: string): string =>
  escapeUnprintable(sliceWithEllipsis(text, index - 20, index + Math.min(match.length, EXCERPT) + 20));

const sliceWithEllipsis = (text: string, from: number, to: number): string =>
  `${from > 0 ? '…' : ''}${text.slice(Math.max(0, from), to).trim()}${to < text.length ? '…' : ''}`;

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
