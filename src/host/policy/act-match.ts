/** Whether an act is of the kind that a rule is about. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { completedUri, completionValues } from '../../model/completed-uri.ts';
import { longestTextFor } from '../../schema/index.ts';
import type { Act, ActEffects, ActKind, DefinitionStatus } from '../act/act.ts';
import { badRule, checkMatch, readAnswer } from './check-match.ts';
import { certainSpellings, hasParentSegment, looksLikeUri, normalizeUri, spellingsOf } from './uri-spellings.ts';

export type OneOrMore<T> = T | readonly T[];

/** What an argument must be: this value, text like this, or whatever the function says. Functions get the argument as a whole. */
export type ArgumentPattern = string | number | boolean | null | RegExp | ((value: unknown) => boolean);

/** All that is named must hold; of a list, one. In strings, `*` stands for anything; not in arguments. */
export interface ActMatch {
  readonly server?: OneOrMore<string>;
  readonly kind?: OneOrMore<ActKind>;
  readonly name?: OneOrMore<string | RegExp>;
  readonly effects?: OneOrMore<'read' | 'write' | 'destructive' | 'unknown'>;
  /**
   * By the argument's name. An argument that is missing matches nothing. In a list, at any depth, `allow` needs every item to match
   * and says nothing of objects; `ask`, `deny` and `budget` need one item, one value or one name of an object.
   */
  readonly arguments?: Readonly<Record<string, OneOrMore<ArgumentPattern>>>;
  readonly principal?: OneOrMore<string>;
  readonly session?: OneOrMore<string>;
  readonly status?: OneOrMore<DefinitionStatus>;
  /** `app` for what a view of a server asks for. */
  readonly by?: OneOrMore<'app'>;
  /** Skills of these servers are in use. `allow` needs every skill in use to be of one of them. */
  readonly under?: OneOrMore<string>;
  /** Decides at once: what returns a promise denies. */
  readonly where?: (act: Act) => boolean;
}

/** An expression is not tried on longer text. */
const MAX_PATTERN_TEXT = 1_024;
/** Steps of an expression on one text, about a second at worst. One that could take more is tried on shorter text only. */
const MAX_PATTERN_STEPS = 200_000_000;

/**
 * What makes sure that nothing slips through. A strict rule (ask, deny, budget) also applies where the server says of itself
 * that it does such things, and where text is too long to look at; a lenient one (allow) applies only to what is certain.
 */
export type Strictness = 'strict' | 'lenient';

type MatchTest<T> = (value: T) => boolean;

export function compileMatch(match: ActMatch, strictness: Strictness): (act: Act) => boolean {
  checkMatch(match);
  const strict = strictness === 'strict';
  const tests: MatchTest<Act>[] = [];
  const { server, kind, name, effects, principal, session, status, by, under, where } = match;
  if (server !== undefined) tests.push(on(anyText(server, strict), (act) => act.server));
  if (kind !== undefined) tests.push(on(among(kind), (act) => act.kind));
  if (name !== undefined) tests.push(hasName(name, strict));
  if (effects !== undefined) tests.push(hasEffects(among(effects), strict));
  if (principal !== undefined) tests.push(on(anyText(principal, strict), (act) => act.principal));
  if (session !== undefined) tests.push(on(anyText(session, strict), (act) => act.session));
  if (status !== undefined) tests.push(on(among(status), (act) => act.status));
  if (by !== undefined) tests.push(on(among(by), (act) => act.by));
  if (under !== undefined) tests.push(isUnderSkillsOf(anyText(under, strict), strict));
  for (const [key, pattern] of Object.entries(match.arguments ?? {})) tests.push(hasArgument(key, pattern, strict));
  if (where !== undefined) tests.push((act) => readAnswer('where', where(act), strict));
  return (act) => tests.every((test) => test(act));
}

/** Text with `*` in it, taken apart once. Never slower than the text is long, times the number of parts. */
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

/** What is not known matches nothing. */
const on =
  <T>(test: MatchTest<T>, of: (act: Act) => T | undefined): MatchTest<Act> =>
  (act) => {
    const value = of(act);
    return value !== undefined && test(value);
  };

const among = <T>(some: OneOrMore<T>): MatchTest<T> => {
  const all = listOf(some);
  return (value) => all.includes(value);
};

const isUnderSkillsOf =
  (test: MatchTest<string>, strict: boolean): MatchTest<Act> =>
  ({ under = [] }) =>
    under.length > 0 && (strict ? under.some(({ server }) => test(server)) : under.every(({ server }) => test(server)));

/** A server's word is believed where it speaks against itself. */
const hasEffects =
  (test: MatchTest<ActEffects>, strict: boolean): MatchTest<Act> =>
  ({ effects, claimed }) =>
    test(effects) || (strict && test(claimed));

function anyText(patterns: OneOrMore<string | RegExp>, strict: boolean): MatchTest<string> {
  const tests = listOf(patterns).map((one) => (typeof one === 'string' ? compileGlob(one) : expression(one, strict)));
  return (text) => tests.some((test) => test(text));
}

/** A copy without the flags that make an expression remember where it was. */
function expression(given: RegExp, strict: boolean): MatchTest<string> {
  const longest = longestTextFor(given, MAX_PATTERN_STEPS);
  if (longest === undefined) {
    const why = `the expression ${given} can take too long. Repeat nothing that can be read in two ways, as in (a+)+, and use no backreference and no lookbehind, or write a function`;
    throw badRule(why);
  }
  const stateless = new RegExp(given.source, given.flags.replace(/[gy]/g, ''));
  const limit = Math.min(MAX_PATTERN_TEXT, longest);
  return (text) => (text.length > limit ? strict : stateless.test(text));
}

/** Acts whose names are URIs: what they name is compared, and not how it is spelt. */
const addressed: readonly ActKind[] = ['connect', 'resource', 'completion', 'visit', 'message', 'context', 'skill'];

/** A completion of a template is decided by the URI that its values lead to. */
export const decidedName = ({ kind, name, arguments: args }: Act): string =>
  kind === 'completion' ? completedUri(name, completionValues(args)) : name;

function hasName(patterns: OneOrMore<string | RegExp>, strict: boolean): MatchTest<Act> {
  const plain = anyText(patterns, strict);
  const named = new Set(listOf(patterns).map((one) => normalizeUri(String(one), { keepCase: !strict })));
  const like = anyText(
    listOf(patterns).map((one) => (typeof one === 'string' ? normalizeUri(one, { keepCase: !strict }) : one)),
    strict,
  );
  return (act) => {
    const { kind, name } = act;
    const uri = decidedName(act);
    if (!addressed.includes(kind) || !looksLikeUri(uri)) return plain(name);
    if (strict) return [name, uri].some((one) => plain(one) || spellingsOf(one).some(like));
    const [normal, ...others] = certainSpellings(uri);
    return normal !== undefined && (named.has(normal) || [normal, ...others].every(like));
  };
}

function hasArgument(key: string, patterns: OneOrMore<ArgumentPattern>, strict: boolean): MatchTest<Act> {
  const all = listOf(patterns);
  const whole = all.filter((one) => typeof one === 'function');
  const tests = all.map((one) => itemTest(one, strict));
  const fits: MatchTest<unknown> = (item) => tests.some((test) => test(item));
  return ({ arguments: given }) => {
    const value = own(given, key);
    if (value === undefined) return false;
    if (whole.some((one) => readAnswer(key, one(value), strict))) return true;
    if (strict) return everythingIn(value).some(fits);
    const items = itemsOf(value);
    return items.length > 0 && items.every(fits);
  };
}

/** One item: neither a list nor an object, but where an object is all that there is. No item is a function. */
function itemTest(pattern: ArgumentPattern, strict: boolean): MatchTest<unknown> {
  if (!(pattern instanceof RegExp)) return (item) => item === pattern;
  const test = expression(pattern, strict);
  return (item) => {
    if (typeof item === 'object' && item !== null) return false;
    const text = String(item);
    // Text that is no URI has few: as it is, without white space around it, and decoded.
    if (strict) return spellingsOf(text).some(test);
    if (!/^\s*[a-z][a-z0-9+.-]*:[/\\]/i.test(text)) return test(text) && !hasParentSegment(text);
    const certain = certainSpellings(text);
    return test(text) && certain.length > 0 && certain.every(test);
  };
}

/** The items of lists, at any depth. */
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.flatMap(itemsOf) : [value]);

/** Whatever is said in a value: items, values of objects, and their names. */
function everythingIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(everythingIn)];
}

/** Names of arguments are the caller's: what every object has is none. */
const own = (values: JsonObject, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined);
