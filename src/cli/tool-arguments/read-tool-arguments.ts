/** Parses the arguments of a tool, prompt or template: `key=value` pairs, or one JSON object. */
import { addAbortSignal } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { FileFault } from '../../files/file-fault.ts';
import { JsoncFault, lineOf, parseJsonc } from '../../files/jsonc.ts';
import { plainValue } from '../../files/jsonc-tree.ts';
import { readFileBytes } from '../../files/read-file.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { badArgument } from '../arguments.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';

/** `key=text`, `key=@file` or `key:=json`. */
export interface ArgumentPair {
  readonly key: string;
  /** As it was typed. */
  readonly word: string;
  readonly value:
    | { readonly sort: 'text'; readonly text: string }
    | { readonly sort: 'file'; readonly bytes: Uint8Array }
    | { readonly sort: 'json'; readonly json: unknown };
}
export type RawArguments =
  | { readonly form: 'pairs'; readonly pairs: readonly ArgumentPair[] }
  | { readonly form: 'object'; readonly object: JsonObject };

/** Larger than any message can be. */
const MAX_FILE_BYTES: number = 64 * 1024 * 1024;

/** Also reads `@file` and stdin. Throws `MCP_BAD_ARGUMENT`. */
export async function readToolArguments(words: readonly string[], shell: Shell): Promise<RawArguments> {
  const whole = words.find((word) => word === '-' || /^[{@]/.test(word));
  if (whole === undefined) return { form: 'pairs', pairs: await Promise.all(words.map((word) => pairIn(word, shell))) };
  const other = words.find((word) => word !== whole);
  if (other !== undefined || words.length > 1)
    throw badArgument(shortened(whole), `this stands for all arguments; remove ${shortened(other ?? whole)}`);
  return { form: 'object', object: objectIn(await wholeText(whole, shell), whole) };
}

/** Throws `MCP_BAD_ARGUMENT` with the line number for invalid JSON. */
export function parseJsonArgument(text: string, argument: string): unknown {
  try {
    return plainValue(parseJsonc(text));
  } catch (fault) {
    if (!(fault instanceof JsoncFault)) throw fault;
    const line = text.includes('\n') ? `line ${lineOf(text, fault.offset)}: ` : '';
    throw badArgument(argument, `not JSON: ${line}${fault.message}`);
  }
}

async function wholeText(word: string, shell: Shell): Promise<string> {
  if (word === '-') return textOf(addAbortSignal(shell.signal, shell.stdin));
  if (!word.startsWith('@')) return word;
  return new TextDecoder().decode(await fileBytes(word, word.slice(1), shell));
}

function objectIn(text: string, word: string): JsonObject {
  const argument = word === '-' ? 'Standard input' : shortened(word);
  const json = parseJsonArgument(text, argument);
  if (!isObject(json)) throw badArgument(argument, 'expected a JSON object with the arguments by name');
  return json;
}

async function pairIn(word: string, shell: Shell): Promise<ArgumentPair> {
  const [, key, sign, rest] = /^([^=]+?)(:?=)(.*)$/s.exec(word) ?? [];
  if (key === undefined || rest === undefined) {
    const forms = 'key=value, key:=JSON, key=@file, one JSON object, @file, or - for standard input';
    throw badArgument(shortened(word), `expected ${forms}`);
  }
  if (sign === ':=') return { key, word, value: { sort: 'json', json: parseJsonArgument(rest, shortened(word)) } };
  if (!rest.startsWith('@')) return { key, word, value: { sort: 'text', text: rest } };
  return { key, word, value: { sort: 'file', bytes: await fileBytes(word, rest.slice(1), shell, key) } };
}

/** With `key`, the error explains how to pass text that begins with `@`. */
async function fileBytes(word: string, path: string, shell: Shell, key?: string): Promise<Uint8Array> {
  const file = pathFrom(shell, path);
  const advice = key === undefined ? '' : `; for text that begins with @, write '${key}:="@…"'`;
  const bytes = await readFileBytes(file, { maxBytes: MAX_FILE_BYTES }).catch((error: unknown) => {
    const why = error instanceof FileFault ? error.why : 'the file cannot be read';
    throw badArgument(shortened(word), `${why} (${file})${advice}`);
  });
  if (bytes === undefined) throw badArgument(shortened(word), `file not found (${file})${advice}`);
  return bytes;
}

const shortened = (word: string): string => (word.length > 60 ? `${word.slice(0, 60)}…` : word);
