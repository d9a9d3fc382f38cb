/** What is wrong with a rule. A member that is misspelt or empty would make a rule say more than its author meant. */
import { McpError } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { ActKind, Effects, Standing } from './act.ts';

const kinds: readonly ActKind[] = [
  'spawn',
  'connect',
  'tool',
  'resource',
  'prompt',
  'completion',
  'sampling',
  'elicitation',
  'roots',
  'visit',
];
const effects: readonly Effects[] = ['read', 'write', 'destructive', 'unknown'];
const standings: readonly Standing[] = ['pinned', 'cosmetic', 'narrower', 'new', 'wider', 'suspicious'];

type Fault = string | undefined;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const text = (value: unknown): Fault => (isText(value) ? undefined : 'must be text');
const pattern = (value: unknown): Fault =>
  isText(value) || value instanceof RegExp ? undefined : 'must be text or a regular expression';
const word =
  (words: readonly string[]) =>
  (value: unknown): Fault =>
    words.includes(value as string) ? undefined : `must be one of ${words.join(', ')}`; // `includes` only compares

const members: ReadonlyMap<string, (value: unknown) => Fault> = new Map([
  ['server', text],
  ['kind', word(kinds)],
  ['name', pattern],
  ['effects', word(effects)],
  // Nobody in particular is an empty name.
  ['principal', (value: unknown): Fault => (typeof value === 'string' ? undefined : 'must be text')],
  ['session', text],
  ['standing', word(standings)],
]);

export function checkMatch(match: object): void {
  for (const [key, value] of Object.entries(match)) {
    const fault = memberFault(key, value);
    if (fault !== undefined) throw badRule(`"${key}" ${fault}`);
  }
}

export const badRule = (why: string): McpError => new McpError('MCP_BAD_DEFINITION', { what: 'The rule', why });

function memberFault(key: string, value: unknown): Fault {
  if (key === 'where') return typeof value === 'function' ? undefined : 'must be a function';
  if (key === 'arguments') return isObject(value) ? undefined : 'must be an object of patterns';
  const check = members.get(key);
  if (check === undefined) return `is none of ${[...members.keys(), 'arguments', 'where'].join(', ')}`;
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0) return 'must not be an empty list: it would match nothing';
  return all.map(check).find((fault) => fault !== undefined);
}
