/** What is wrong with a rule. A member that is misspelt or empty would make a rule match more than its author wants. */
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
const text = (value: unknown): FaultText => (isText(value) ? undefined : 'must be text');
const pattern = (value: unknown): FaultText =>
  isText(value) || value instanceof RegExp ? undefined : 'must be text or a regular expression';
const word =
  (words: readonly string[]) =>
  (value: unknown): FaultText =>
    words.includes(value as string) ? undefined : `must be one of ${words.join(', ')}`; // `includes` only compares

const members: ReadonlyMap<string, (value: unknown) => FaultText> = new Map([
  ['server', text],
  ['kind', word(kinds)],
  ['name', pattern],
  ['effects', word(effects)],
  // The host itself has an empty name.
  ['principal', (value: unknown): FaultText => (typeof value === 'string' ? undefined : 'must be text')],
  ['session', text],
  ['status', word(statuses)],
  ['by', word(['app'])],
  ['under', text],
]);

/** Throws where there is nothing that could be matched. */
export function checkIsMatch(match: unknown): void {
  if (!isObject(match)) throw badRule("it needs what to match, such as { server: 'shop' }; {} matches everything");
}

/** Throws where a budget has no limits, or one with an unknown name: it would limit nothing. */
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

/** Why a rule failed, without anything of the act, so that it can be shown. */
export class RuleFault extends Error {
  override readonly name = 'RuleFault';
}

/** What a function of a rule returned. A promise is an error: a rule decides at once. */
export function readAnswer(what: string, said: unknown, strict: boolean): boolean {
  if (isThenable(said)) throw promiseFault(`"${what}"`, said);
  return strict ? Boolean(said) : said === true;
}

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** The promise is not awaited, so that its failure must not end the process. */
export function promiseFault(what: string, promise: PromiseLike<unknown>): RuleFault {
  promise.then(undefined, () => undefined);
  return new RuleFault(
    `${what} returned a promise. A rule decides at once: look things up before, and return true or false`,
  );
}

/** A function that answers later would be an error with every act. */
const mayWait = (value: unknown): boolean =>
  typeof value === 'function' && /^\[object Async/.test(Object.prototype.toString.call(value));

const isLate = (value: unknown): boolean => (Array.isArray(value) ? value.some(mayWait) : mayWait(value));

function memberFault(key: string, value: unknown): FaultText {
  if (isLate(value) || (isObject(value) && Object.values(value).some(isLate)))
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
