/** Validates the match of a rule: a misspelled or empty member would make the rule match more than its author wants. */
import { badDefinition, type McpError } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { checkOptions, type OptionNames } from '../../model/check-options.ts';
import { suggest } from '../../model/suggest.ts';
import type { ActEffects, ActKind, DefinitionStatus } from '../act/act.ts';

const kinds: readonly ActKind[] = [
  ...['spawn', 'connect', 'tool', 'resource', 'prompt', 'completion', 'extension'],
  ...['sampling', 'elicitation', 'roots', 'visit', 'message', 'context', 'download', 'skill'],
] as const;
const effects: readonly ActEffects[] = ['read', 'write', 'destructive', 'unknown'];
const statuses: readonly DefinitionStatus[] = ['approved', 'new', 'changed', 'suspicious'];

type FaultText = string | undefined;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const textFault = (value: unknown): FaultText => (isText(value) ? undefined : 'must be text');
const patternFault = (value: unknown): FaultText =>
  isText(value) || value instanceof RegExp ? undefined : 'must be text or a regular expression';
const wordFault =
  (words: readonly string[]) =>
  (value: unknown): FaultText =>
    words.includes(value as string) ? undefined : `must be one of ${words.join(', ')}`; // `includes` only compares

const members: ReadonlyMap<string, (value: unknown) => FaultText> = new Map([
  ['server', textFault],
  ['kind', wordFault(kinds)],
  ['name', patternFault],
  ['effects', wordFault(effects)],
  // Empty for acts of the host itself.
  ['principal', (value: unknown): FaultText => (typeof value === 'string' ? undefined : 'must be text')],
  ['session', textFault],
  ['status', wordFault(statuses)],
  ['by', wordFault(['app'])],
  ['under', textFault],
]);

/** Throws if the match is not an object. */
export function checkIsMatch(match: unknown): void {
  if (!isObject(match)) throw badRule("it needs what to match, such as { server: 'shop' }; {} matches everything");
}

/** Throws for a budget with no or misspelled limits, which would limit nothing. */
export function checkLimits<T>(limits: T, names: OptionNames<T>): void {
  if (!isObject(limits)) throw badRule("a budget needs its limits, such as { calls: 10, per: 'hour' }");
  checkOptions('The rule', limits, names);
}

export function checkMatch(match: object): void {
  checkIsMatch(match);
  for (const [key, value] of Object.entries(match)) {
    const fault = memberFault(key, value);
    if (fault !== undefined) throw badRule(`"${key}" ${fault}`);
  }
}

export const badRule = (why: string): McpError => badDefinition('The rule', why);

/** Why a rule failed. Its message contains no data of the act, so it can be shown. */
export class RuleFault extends Error {
  override readonly name = 'RuleFault';
}

/** Converts what a function of a rule returned to a boolean. Throws for a promise, because rules are synchronous. */
export function readAnswer(what: string, said: unknown, strict: boolean): boolean {
  if (isThenable(said)) throw promiseFault(`"${what}"`, said);
  return strict ? Boolean(said) : said === true;
}

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** The error for a returned promise. Also handles its rejection, which would otherwise be unhandled and end the process. */
export function promiseFault(what: string, promise: PromiseLike<unknown>): RuleFault {
  promise.then(undefined, () => undefined);
  return new RuleFault(
    `${what} returned a promise. A rule decides at once: look things up before, and return true or false`,
  );
}

/** Detects async functions early, because they would fail for every act. */
const isAsyncFunction = (value: unknown): boolean =>
  typeof value === 'function' && /^\[object Async/.test(Object.prototype.toString.call(value));

const hasAsyncFunction = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isAsyncFunction) : isAsyncFunction(value);

function memberFault(key: string, value: unknown): FaultText {
  if (hasAsyncFunction(value) || (isObject(value) && Object.values(value).some(hasAsyncFunction)))
    return 'must not be async. A rule decides at once: look things up before, and return true or false';
  if (key === 'where') return typeof value === 'function' ? undefined : 'must be a function';
  if (key === 'arguments') return argumentsFault(value);
  const check = members.get(key);
  if (check === undefined) return `is unknown; ${suggest(key, [...members.keys(), 'arguments', 'where'])}`;
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0) return 'must not be an empty list: it would match nothing';
  return all.map(check).find((fault) => fault !== undefined);
}

const isArgumentPattern = (value: unknown): boolean =>
  value === null || value instanceof RegExp || ['string', 'number', 'boolean', 'function'].includes(typeof value);

function argumentsFault(value: unknown): FaultText {
  if (!isObject(value)) return 'must be an object of patterns';
  const lists = Object.values(value).map((one): readonly unknown[] => (Array.isArray(one) ? one : [one]));
  if (lists.length === 0 || lists.some(({ length }) => length === 0))
    return 'must not be empty: it would match everything, or nothing';
  return lists.flat().every(isArgumentPattern) ? undefined : 'must have values, regular expressions or functions';
}
