/** Matches acts against the conditions of a rule. */
import { completedUri, completionValues } from '../../model/completed-uri.ts';
import { longestTextFor } from '../../schema/index.ts';
import type { Act, ActEffects, ActKind, DefinitionStatus } from '../act/act.ts';
import { badRule, checkMatch, readAnswer } from './check-match.ts';
import {
  certainSpellings,
  hasParentSegment,
  looksLikeUri,
  normalizeUri,
  patternForms,
  spellingsOf,
} from './uri-spellings.ts';

export type OneOrMore<T> = T | readonly T[];

/**
 * An argument must equal the value, match the expression, or pass the function. Functions get the whole argument. For `ask`, `deny` and
 * `budget`, text that a server can read as the value also equals it, such as `"true"` for `true`.
 */
export type ArgumentPattern = string | number | boolean | null | RegExp | ((value: unknown) => boolean);

/** All members must match; of a list, one item. In strings other than arguments, `*` matches any characters. */
export interface ActMatch {
  readonly server?: OneOrMore<string>;
  readonly kind?: OneOrMore<ActKind>;
  readonly name?: OneOrMore<string | RegExp>;
  readonly effects?: OneOrMore<'read' | 'write' | 'destructive' | 'unknown'>;
  /**
   * By the argument's name. A missing argument does not match. For nested lists and objects, `allow` needs every item of a list to match,
   * and never matches an object; `ask`, `deny` and `budget` need one matching item, object value or object key.
   */
  readonly arguments?: Readonly<Record<string, OneOrMore<ArgumentPattern>>>;
  readonly principal?: OneOrMore<string>;
  readonly session?: OneOrMore<string>;
  readonly status?: OneOrMore<DefinitionStatus>;
  /** `app` matches requests of a server's view (MCP App). */
  readonly by?: OneOrMore<'app'>;
  /** Labels of servers whose skills are in use. `allow` needs all skills in use to be from these servers. */
  readonly under?: OneOrMore<string>;
  /** Must be synchronous: if it returns a promise, the act is denied. */
  readonly where?: (act: Act) => boolean;
}

/** Regular expressions are not tested on longer text. */
const MAX_PATTERN_TEXT = 1_024;
/** Limit of steps for one test, about a second at worst (ReDoS). An expression that could exceed it is tested on shorter text only. */
const MAX_PATTERN_STEPS = 200_000_000;

/**
 * How uncertain cases match, so that no act slips through. A strict rule (ask, deny, budget) also matches effects that the server only
 * claims, and text that is too long to test; a lenient one (allow) matches only what is certain.
 */
export type Strictness = 'strict' | 'lenient';

type MatchTest<T> = (value: T) => boolean;

export function compileMatch(match: ActMatch, strictness: Strictness): (act: Act) => boolean {
  checkMatch(match);
  const strict = strictness === 'strict';
  const tests: MatchTest<Act>[] = [];
  const { server, kind, name, effects, principal, session, status, by, under, where } = match;
  if (server !== undefined) tests.push(onMember(anyText(server, strict), (act) => act.server));
  if (kind !== undefined) tests.push(onMember(isOneOf(kind), (act) => act.kind));
  if (name !== undefined) tests.push(hasName(name, strict));
  if (effects !== undefined) tests.push(hasEffects(isOneOf(effects), strict));
  if (principal !== undefined) tests.push(onMember(anyText(principal, strict), (act) => act.principal));
  if (session !== undefined) tests.push(onMember(anyText(session, strict), (act) => act.session));
  if (status !== undefined) tests.push(onMember(isOneOf(status), (act) => act.status));
  if (by !== undefined) tests.push(onMember(isOneOf(by), (act) => act.by));
  if (under !== undefined) tests.push(isUnderSkillsOf(anyText(under, strict), strict));
  for (const [key, pattern] of Object.entries(match.arguments ?? {})) tests.push(hasArgument(key, pattern, strict));
  if (where !== undefined) tests.push((act) => readAnswer('where', where(act), strict));
  return (act) => tests.every((test) => test(act));
}

/** Compiles text with `*` wildcards. A test takes at most the text's length times the number of parts. */
export function compileGlob(pattern: string): MatchTest<string> {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

export const listOf = <T>(one: OneOrMore<T>): readonly T[] => (Array.isArray(one) ? one : [one as T]); // an array, or one

/** Tests one member of an act. An undefined member does not match. */
const onMember =
  <T>(test: MatchTest<T>, of: (act: Act) => T | undefined): MatchTest<Act> =>
  (act) => {
    const value = of(act);
    return value !== undefined && test(value);
  };

const isOneOf = <T>(some: OneOrMore<T>): MatchTest<T> => {
  const all = listOf(some);
  return (value) => all.includes(value);
};

const isUnderSkillsOf =
  (test: MatchTest<string>, strict: boolean): MatchTest<Act> =>
  ({ under = [] }) =>
    under.length > 0 && (strict ? under.some(({ server }) => test(server)) : under.every(({ server }) => test(server)));

/** Strict rules also match claimed effects: a claim against the server's own interest is trusted. */
const hasEffects =
  (test: MatchTest<ActEffects>, strict: boolean): MatchTest<Act> =>
  ({ effects, claimed }) =>
    test(effects) || (strict && test(claimed));

function anyText(patterns: OneOrMore<string | RegExp>, strict: boolean): MatchTest<string> {
  const tests = listOf(patterns).map((one) =>
    typeof one === 'string' ? compileGlob(one) : compileRegExp(one, strict),
  );
  return (text) => tests.some((test) => test(text));
}

/** Copies the expression without the flags that make it stateful. Throws if it could take too long. */
function compileRegExp(given: RegExp, strict: boolean): MatchTest<string> {
  const longest = longestTextFor(given, MAX_PATTERN_STEPS);
  if (longest === undefined) {
    const why = `the expression ${given} can take too long. Repeat nothing that can be read in two ways, as in (a+)+, and use no backreference and no lookbehind, or write a function`;
    throw badRule(why);
  }
  const stateless = new RegExp(given.source, given.flags.replace(/[gy]/g, ''));
  const limit = Math.min(MAX_PATTERN_TEXT, longest);
  return (text) => (text.length > limit ? strict : stateless.test(text));
}

/** Kinds of acts whose names are URIs, which are compared in normalized form. */
const kindsWithUri: readonly ActKind[] = ['connect', 'resource', 'completion', 'visit', 'message', 'context', 'skill'];

/** The name that rules match. For a completion of a template, this is the URI that its values expand to. */
export const nameToMatch = ({ kind, name, arguments: args }: Act): string =>
  kind === 'completion' ? completedUri(name, completionValues(args)) : name;

function hasName(patterns: OneOrMore<string | RegExp>, strict: boolean): MatchTest<Act> {
  const plain = anyText(patterns, strict);
  const named = new Set(listOf(patterns).map((one) => normalizeUri(String(one), { keepCase: true })));
  const like = anyText(
    listOf(patterns).flatMap((one): readonly (string | RegExp)[] => {
      if (typeof one !== 'string') return [one];
      return strict ? patternForms(one) : [normalizeUri(one, { keepCase: true })];
    }),
    strict,
  );
  return (act) => {
    const { kind, name } = act;
    const uri = nameToMatch(act);
    if (!kindsWithUri.includes(kind) || !looksLikeUri(uri)) return plain(name);
    if (strict) return [name, uri].some((one) => plain(one) || spellingsOf(one).some(like));
    const [normal, ...others] = certainSpellings(uri);
    return normal !== undefined && (named.has(normal) || [normal, ...others].every(like));
  };
}

function hasArgument(key: string, patterns: OneOrMore<ArgumentPattern>, strict: boolean): MatchTest<Act> {
  const all = listOf(patterns);
  const whole = all.filter((one) => typeof one === 'function');
  const tests = all.map((one) => itemTest(one, strict));
  const matchesItem: MatchTest<unknown> = (item) => tests.some((test) => test(item));
  return ({ arguments: given }) => {
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    if (value === undefined) return false;
    if (whole.some((one) => readAnswer(key, one(value), strict))) return true;
    if (strict) return valuesAndKeys(value).some(matchesItem);
    const items = itemsOf(value);
    return items.length > 0 && items.every(matchesItem);
  };
}

/** Tests one item, which is never a list. A lenient rule can get an object, which never matches. Function patterns match no item. */
function itemTest(pattern: ArgumentPattern, strict: boolean): MatchTest<unknown> {
  if (!(pattern instanceof RegExp)) return strict ? meansSame(pattern) : (item) => item === pattern;
  const test = compileRegExp(pattern, strict);
  return (item) => {
    if (typeof item === 'object' && item !== null) return false;
    const text = String(item);
    // Text that is not a URI has few spellings: as it is, trimmed, and decoded.
    if (strict) return spellingsOf(text).some(test);
    if (!/^\s*[a-z][a-z0-9+.-]*:[/\\]/i.test(text)) return test(text) && !hasParentSegment(text);
    const certain = certainSpellings(text);
    return test(text) && certain.length > 0 && certain.every(test);
  };
}

const booleanWords: ReadonlyMap<unknown, readonly string[]> = new Map([
  [true, ['true', '1', 'yes', 'on']],
  [false, ['false', '0', 'no', 'off']],
]);

/** Whether a server could read an item as the value: many convert text to the type that their schema names. */
function meansSame(value: Exclude<ArgumentPattern, RegExp>): MatchTest<unknown> {
  const words = booleanWords.get(value);
  const spellings = new Set(typeof value === 'string' ? spellingsOf(value) : []);
  return (item) => {
    if (item === value || typeof item === 'object') return item === value;
    const text = String(item);
    if (typeof value === 'number') return text.trim() !== '' && Number(text) === value;
    return words?.includes(text.trim().toLowerCase()) ?? spellingsOf(text).some((one) => spellings.has(one));
  };
}

/** The items of nested lists. Any other value is its own item. */
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.flatMap(itemsOf) : [value]);

/** All items, object values and object keys in a value, at any depth. */
function valuesAndKeys(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(valuesAndKeys)];
}
