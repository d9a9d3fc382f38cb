/** How a definition differs from the one that was pinned, in one word and with reasons. Where it is not certain, the worse word. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { DefinitionStatus } from '../act/act.ts';
import { claimsOf } from '../act/claims.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import { type Compared, cosmetic, type DefinitionChange, narrower, wider, worst } from './change.ts';
import { compareSchemas } from './grade-schema.ts';
import { compareTexts, newSignals } from './grade-text.ts';

export interface Grade {
  readonly status: DefinitionStatus;
  readonly reasons: readonly string[];
}

export function grade(compared: Compared): Grade {
  const { before, after } = compared;
  if (canonicalJson(before) === canonicalJson(after)) return { status: 'pinned', reasons: [] };
  const changes = [...newSignals(compared), ...compareTexts(compared), ...membersOf(before, after)];
  // Something differs, and nobody said what it means.
  if (changes.length === 0) changes.push(cosmetic('it is written differently'));
  return {
    status: worst(...changes.map(({ status }) => status)),
    reasons: [...new Set(changes.map(({ why }) => escapeUnprintable(why)))],
  };
}

/** Text is compared as a whole. */
const textual: ReadonlySet<string> = new Set(['title', 'description', 'instructions']);

function membersOf(before: JsonObject, after: JsonObject): DefinitionChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    if (textual.has(name) || canonicalJson(before[name] ?? null) === canonicalJson(after[name] ?? null)) return [];
    return (members.get(name) ?? other(name))(before[name], after[name]);
  });
}

type CompareMember = (before: unknown, after: unknown) => readonly DefinitionChange[];

const members: ReadonlyMap<string, CompareMember> = new Map<string, CompareMember>([
  [
    'name',
    (before, after) => [wider(`it was called ${JSON.stringify(before)} and is now called ${JSON.stringify(after)}`)],
  ],
  ['inputSchema', (before, after) => compareSchemas(before, after, 'input')],
  ['outputSchema', outputs],
  ['annotations', annotations],
  ['arguments', promptArguments],
  ['icons', () => [cosmetic('its icons changed')]],
  [
    '_meta',
    (before, after) =>
      isSubset(after, before) ? [cosmetic('it lost some of its _meta')] : [wider('its _meta changed')],
  ],
]);

const other =
  (name: string): CompareMember =>
  () => [wider(`its member "${name}" changed`)];

const isSubset = (part: unknown, whole: unknown): boolean =>
  part === undefined ||
  (isObject(part) &&
    isObject(whole) &&
    Object.entries(part).every(
      ([key, value]) => Object.hasOwn(whole, key) && canonicalJson(value) === canonicalJson(whole[key]),
    ));

function outputs(before: unknown, after: unknown): readonly DefinitionChange[] {
  if (before === undefined) return [narrower('what it returns is described now')];
  if (after === undefined) return [wider('what it returns is no longer described')];
  return compareSchemas(before, after, 'output');
}

/** Claims of the server's. To claim less harm than before is how a tool gets past a rule, so that is no improvement. */
function annotations(before: unknown, after: unknown): readonly DefinitionChange[] {
  const [was, is] = [before, after].map((one) => (isObject(one) ? one : {})) as [JsonObject, JsonObject];
  const changes: DefinitionChange[] = [];
  const [claimedBefore, claimed] = [claimsOf(was), claimsOf(is)];
  if (claimed.claimed !== claimedBefore.claimed)
    changes.push(wider(`it claimed to ${doing[claimedBefore.claimed]}, and claims to ${doing[claimed.claimed]} now`));
  if (claimed.openWorld !== claimedBefore.openWorld)
    changes.push(
      wider(`it claims to reach ${claimed.openWorld ? 'beyond its server' : 'nothing beyond its server'} now`),
    );
  if ((is['idempotentHint'] === true) !== (was['idempotentHint'] === true))
    changes.push(
      is['idempotentHint'] === true
        ? wider('it claims that it can be repeated now')
        : narrower('it no longer claims that it can be repeated'),
    );
  if (canonicalJson(is['audience'] ?? null) !== canonicalJson(was['audience'] ?? null))
    changes.push(wider('it is meant for another audience'));
  return changes.length === 0 ? [cosmetic('its annotations are written differently')] : changes;
}

const doing = {
  read: 'only read',
  write: 'add things',
  destructive: 'change or destroy things',
  unknown: 'do something',
} as const;

/** Of a prompt: what the user is asked for, and what goes to the server. */
function promptArguments(before: unknown, after: unknown): readonly DefinitionChange[] {
  const [was, is] = [byName(before), byName(after)];
  const changes: DefinitionChange[] = [];
  for (const [name, one] of is) {
    const old = was.get(name);
    if (old === undefined) changes.push(wider(`it takes the argument ${JSON.stringify(name)} now`));
    else if (one['required'] === true && old['required'] !== true)
      changes.push(wider(`it demands the argument ${JSON.stringify(name)} now`));
    else if (one['required'] !== true && old['required'] === true)
      changes.push(narrower(`it no longer demands the argument ${JSON.stringify(name)}`));
  }
  for (const name of was.keys())
    if (!is.has(name)) changes.push(narrower(`it no longer takes the argument ${JSON.stringify(name)}`));
  return changes.length === 0 ? [cosmetic('its arguments are written differently')] : changes;
}

function byName(list: unknown): Map<string, JsonObject> {
  const objects = Array.isArray(list) ? list.filter(isObject) : [];
  return new Map(objects.map((one) => [String(one['name']), one]));
}
