/** What is given where everything is text: the arguments of a prompt, the variables of a template. */
import { badArgument } from '../arguments.ts';
import { groupByKey } from './members.ts';
import type { ArgumentPair, RawArguments } from './read-tool-arguments.ts';

/** All that was given under each name. Throws `MCP_BAD_ARGUMENT` for what is no text. */
export function toTexts(given: RawArguments): ReadonlyMap<string, readonly string[]> {
  if (given.form === 'object')
    return new Map(Object.entries(given.object).map(([key, value]) => [key, [asText(value, key)]]));
  return new Map([...groupByKey(given.pairs)].map(([key, pairs]) => [key, pairs.map(textOf)]));
}

function textOf({ value, word }: ArgumentPair): string {
  if (value.sort === 'text') return value.text;
  return value.sort === 'json' ? asText(value.json, word) : new TextDecoder().decode(value.bytes);
}

function asText(value: unknown, argument: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw badArgument(argument, `expected a string, not ${JSON.stringify(value)}`);
}
