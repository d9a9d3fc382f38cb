/** Whether an act is of the kind that a rule is about. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { canonical } from '../model/canonical.ts';
import { longestTextFor } from '../schema/index.ts';
import type { Act, ActKind, Effects, Standing } from './act.ts';
import { badRule, checkMatch } from './rules-fault.ts';

type OneOrMore<T> = T | readonly T[];

/** What an argument must be: this value, text like this, or whatever the function says. */
export type ArgumentPattern = string | number | boolean | null | RegExp | ((value: unknown) => boolean);

/** All that is named must hold; of a list, one. In strings, `*` stands for anything; not in arguments. */
export interface Match {
  readonly server?: OneOrMore<string>;
  readonly kind?: OneOrMore<ActKind>;
  readonly name?: OneOrMore<string | RegExp>;
  readonly effects?: OneOrMore<Effects>;
  /** By the argument's name. An argument that is missing matches nothing. */
  readonly arguments?: Readonly<Record<string, OneOrMore<ArgumentPattern>>>;
  readonly principal?: OneOrMore<string>;
  readonly session?: OneOrMore<string>;
  readonly standing?: OneOrMore<Standing>;
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

type Test<T> = (value: T) => boolean;

export function matcher(match: Match, strictness: Strictness): (act: Act) => boolean {
  checkMatch(match);
  const strict = strictness === 'strict';
  const tests: Test<Act>[] = [];
  const { server, kind, name, effects, principal, session, standing, where } = match;
  if (server !== undefined) tests.push(on(anyText(server, strict), (act) => act.server));
  if (kind !== undefined) tests.push(on(among(kind), (act) => act.kind));
  if (name !== undefined) tests.push(on(anyText(name, strict), (act) => act.name));
  if (effects !== undefined) tests.push(doing(among(effects), strict));
  if (principal !== undefined) tests.push(on(anyText(principal, strict), (act) => act.principal));
  if (session !== undefined) tests.push(whenKnown(anyText(session, strict), (act) => act.session));
  if (standing !== undefined) tests.push(whenKnown(among(standing), (act) => act.standing));
  for (const [key, pattern] of Object.entries(match.arguments ?? {})) tests.push(argument(key, pattern, strict));
  if (where !== undefined) tests.push((act) => where(act) === true);
  return (act) => tests.every((test) => test(act));
}

/** Text with `*` in it, taken apart once. Never slower than the text is long, times the number of parts. */
export function glob(pattern: string): Test<string> {
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

const on =
  <T>(test: Test<T>, of: (act: Act) => T): Test<Act> =>
  (act) =>
    test(of(act));

const whenKnown =
  <T>(test: Test<T>, of: (act: Act) => T | undefined): Test<Act> =>
  (act) => {
    const value = of(act);
    return value !== undefined && test(value);
  };

const among = <T>(some: OneOrMore<T>): Test<T> => {
  const all = listOf(some);
  return (value) => all.includes(value);
};

/** A server's word is believed where it speaks against itself. */
const doing =
  (test: Test<Effects>, strict: boolean): Test<Act> =>
  ({ effects, claimed }) =>
    test(effects) || (strict && test(claimed));

function anyText(patterns: OneOrMore<string | RegExp>, strict: boolean): Test<string> {
  const tests = listOf(patterns).map((one) => (typeof one === 'string' ? glob(one) : expression(one, strict)));
  return (text) => tests.some((test) => test(text));
}

/** A copy without the flags that make an expression remember where it was. */
function expression(given: RegExp, strict: boolean): Test<string> {
  const longest = longestTextFor(given, MAX_PATTERN_STEPS);
  if (longest === undefined) {
    const why = `the expression ${given} can take too long. Repeat nothing that can be read in two ways, as in (a+)+, and use no backreference and no lookbehind, or write a function`;
    throw badRule(why);
  }
  const stateless = new RegExp(given.source, given.flags.replace(/[gy]/g, ''));
  const limit = Math.min(MAX_PATTERN_TEXT, longest);
  return (text) => (text.length > limit ? strict : stateless.test(text));
}

function argument(key: string, patterns: OneOrMore<ArgumentPattern>, strict: boolean): Test<Act> {
  const tests = listOf(patterns).map((one) => valueTest(one, strict));
  return ({ arguments: given }) => {
    const value = own(given, key);
    return value !== undefined && tests.some((test) => test(value));
  };
}

function valueTest(pattern: ArgumentPattern, strict: boolean): Test<unknown> {
  if (typeof pattern === 'function') return (value) => pattern(value) === true;
  if (!(pattern instanceof RegExp)) return (value) => value === pattern;
  const test = expression(pattern, strict);
  return (value) => test(typeof value === 'string' ? value : isObject(value) ? canonical(value) : String(value));
}

/** Names of arguments are the caller's: what every object has is none. */
const own = (values: JsonObject, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined);
