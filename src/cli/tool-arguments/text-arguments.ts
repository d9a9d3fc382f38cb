/** Converts string arguments: those of prompts, and variables of URI templates. */
import { McpError } from '../../errors.ts';
import type { Prompt } from '../../model/parts.ts';
import { suggest } from '../../model/suggest.ts';
import { UriTemplate } from '../../model/uri-template.ts';
import { badArgument } from '../arguments.ts';
import { ArgumentFaults } from './argument-faults.ts';
import { groupByKey } from './members.ts';
import type { ArgumentPair, RawArguments } from './read-tool-arguments.ts';

/** All values by name. Throws `MCP_BAD_ARGUMENT` for a list or an object. */
function toTexts(given: RawArguments): ReadonlyMap<string, readonly string[]> {
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

/** Throws `MCP_BAD_ARGUMENT` with the prompt's syntax. */
export function promptArguments(
  { name, arguments: declared = [] }: Prompt,
  given: RawArguments,
): Readonly<Record<string, string>> {
  const texts = toTexts(given);
  const names = declared.map((one) => one.name);
  const shape = declared.map((one) => (one.required === true ? `${one.name}=<text>` : `[${one.name}=<text>]`));
  const faults = new ArgumentFaults();
  for (const [key, all] of texts) {
    if (!names.includes(key))
      faults.add(
        key,
        names.length === 0 ? 'the prompt takes no arguments' : `unknown argument; ${suggest(key, names)}`,
      );
    if (all.length > 1) faults.add(key, 'given twice, and takes one value');
  }
  for (const { name: missing, description } of declared.filter((one) => one.required === true && !texts.has(one.name)))
    faults.add(
      `Missing argument "${missing}"`,
      `expected a string${description === undefined ? '' : ` (${description})`}`,
    );
  faults.throwIfAny([name, ...shape].join(' '));
  return Object.fromEntries([...texts].map(([key, all]) => [key, all.join('')]));
}

export function expandTemplate(source: string, given: RawArguments): string {
  const template = parseTemplate(source);
  const values = toTexts(given);
  for (const key of values.keys())
    if (!template.variables.includes(key))
      throw badArgument(key, `unknown variable of the template; ${suggest(key, template.variables)}`);
  const missing = requiredVariables(source).find((name) => !values.has(name));
  if (missing !== undefined) throw badArgument(`Missing argument "${missing}"`, `${source} needs a value for it`);
  return template.expand(
    Object.fromEntries([...values].map(([key, texts]) => [key, texts.length > 1 ? texts : texts[0]])),
  );
}

function parseTemplate(source: string): UriTemplate {
  try {
    return new UriTemplate(source);
  } catch (error) {
    if (error instanceof McpError && error.code === 'MCP_BAD_DEFINITION')
      throw badArgument(source, `not a URI template: ${String((error.details as { why?: unknown }).why)}`);
    throw error;
  }
}

/** Query and matrix variables (`?`, `&`, `;`) are optional. */
function requiredVariables(source: string): readonly string[] {
  const bodies = [...source.matchAll(/\{([^}]*)\}/g)].map(([, body = '']) => body);
  return bodies
    .filter((body) => !/^[?&;]/.test(body))
    .flatMap((body) => body.replace(/^[+#./]/, '').split(','))
    .map((variable) => variable.replace(/\*$|:\d+$/, ''));
}
