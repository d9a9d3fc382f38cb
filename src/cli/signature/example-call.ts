/** Generates an example command line for a tool: a call that its schema accepts, else the syntax. */
import { isDeepStrictEqual } from 'node:util';
import { McpError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Prompt, Tool } from '../../model/parts.ts';
import { shellWord } from '../../model/shell-word.ts';
import type { Shell } from '../shell.ts';
import type { TargetInput } from '../target/options.ts';
import { argumentsFor } from '../tool-arguments/arguments-for.ts';
import { callSyntax } from '../tool-arguments/call-syntax.ts';
import { readToolArguments } from '../tool-arguments/read-tool-arguments.ts';
import { SchemaView } from '../tool-arguments/schema-view.ts';
import { exampleValue } from './example-value.ts';

/** The words after the target, quoted for a shell. */
export async function exampleCall(tool: Tool, shell: Shell): Promise<readonly string[]> {
  const args = exampleValue(tool.inputSchema, tool.inputSchema);
  if (isObject(args))
    for (const words of [pairWords(args), [JSON.stringify(args)]])
      if (words !== undefined && (await roundTrips(tool, { args, words, shell })))
        return [tool.name, ...words].map(shellWord);
  return [callSyntax(tool.name, new SchemaView(tool.inputSchema))];
}

/** Prompt arguments are strings without constraints. */
export const promptExample = ({ name, arguments: args = [] }: Prompt): readonly string[] =>
  [name, ...args.flatMap((one) => (one.required === true ? [`${one.name}=text`] : []))].map(shellWord);

type NamedServer = Pick<TargetInput, 'words' | 'after' | 'values'>;

/** The complete command line, with the target as it was typed. */
export function exampleLine(verb: string, words: readonly string[], input: NamedServer): readonly string[] {
  const { after, values } = input;
  const [target = ''] = input.words;
  if (after !== undefined) {
    const [command = '', ...args] = after.map(shellWord);
    return ['mooring', verb, ...words, `-- ${command}`, ...args];
  }
  const chosen = values.export === undefined ? [] : ['--export', values.export];
  const files = (values.config ?? []).flatMap((file) => ['--config', file]);
  return ['mooring', verb, shellWord(target), ...words, ...[...chosen, ...files].map(shellWord)];
}

/** Whether parsing these words gives the same, valid arguments. */
async function roundTrips(
  tool: Tool,
  { args, words, shell }: { readonly args: JsonObject; readonly words: readonly string[]; readonly shell: Shell },
): Promise<boolean> {
  let isChecked = true;
  const unchecked = (): void => {
    isChecked = false;
  };
  try {
    const read = await argumentsFor(tool, await readToolArguments(words, shell), unchecked);
    return isChecked && isDeepStrictEqual(read, args);
  } catch (error) {
    if (error instanceof McpError) return false;
    throw error;
  }
}

/** Undefined if a name cannot be written as `key=value`. */
function pairWords(args: JsonObject): readonly string[] | undefined {
  const entries = Object.entries(args);
  if (entries.some(([key]) => !/^[\w$-]+$/.test(key))) return undefined;
  return entries.flatMap(([key, value]) => {
    if (Array.isArray(value) && value.length > 1 && value.every(isPlain)) return value.map((one) => `${key}=${one}`);
    return [isPlain(value) ? `${key}=${String(value)}` : `${key}:=${JSON.stringify(value)}`];
  });
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && !value.startsWith('@'));
