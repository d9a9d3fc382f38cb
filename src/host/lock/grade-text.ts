/** What the words of a definition say now that they did not say before. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { findingSentence, findOddities } from '../text/inspect.ts';
import { isNearly, splitWords, stem, stopwords } from '../text/words.ts';
import { type Compared, cosmetic, type DefinitionChange, wider } from './change.ts';
import { proseIn, textsIn } from './texts.ts';

const MAX_SHOWN = 12;

/** Words that say what is not done; one more or one less turns a sentence around. */
const limits: ReadonlySet<string> = new Set([
  'not',
  'no',
  'never',
  'only',
  'without',
  'except',
  'unless',
  'cannot',
  "can't",
  "won't",
  "doesn't",
  "don't",
  'readonly',
]);

/** What looks like an attack, and was not there when it was pinned. */
export function newSignals({ before, after, others }: Compared): DefinitionChange[] {
  const known = new Set(signalsIn(before, others).map(({ key }) => key));
  return signalsIn(after, others)
    .filter(({ key }) => !known.has(key))
    .map(({ why }) => ({ status: 'suspicious', why }));
}

function signalsIn(definition: JsonObject, others: Compared['others']): { key: string; why: string }[] {
  return findOddities(textsIn(definition).join(' . '), others).map((finding) => ({
    key: `${finding.oddity} ${finding.match}`,
    why: findingSentence('it', finding),
  }));
}

/** Prose that says something new is a wider promise; spelling, order and less of it are looks. */
export function compareTexts({ before, after }: Compared): DefinitionChange[] {
  const [was, is] = [proseIn(before), proseIn(after)];
  if (was.join('\n') === is.join('\n')) return [];
  const [old, now] = [was.flatMap(splitWords), is.flatMap(splitWords)];
  const turned = [...limits].filter((word) => count(old, word) !== count(now, word));
  if (turned.length > 0) return [wider(`its text differs in what it excludes: ${turned.join(', ')}`)];
  const said = newWords(new Set(old), new Set(now));
  if (said.length > 0) return [wider(`its text says more: ${said.slice(0, MAX_SHOWN).join(', ')}`)];
  return [cosmetic('its text is written differently')];
}

/** But for slips of the pen, which are looked for where there are few. */
function newWords(old: ReadonlySet<string>, now: ReadonlySet<string>): string[] {
  const known = new Set([...old].map(stem));
  const unknown = [...now].filter((word) => !known.has(stem(word)) && !stopwords.has(word));
  return unknown.length > MAX_SHOWN ? unknown : unknown.filter((word) => ![...old].some((one) => isNearly(one, word)));
}

const count = (words: readonly string[], word: string): number => words.filter((one) => one === word).length;
