/** Converts typed text to the type in a schema. Text stays a string if strings are allowed; `key:=json` overrides this. */
import { toBase64, toBase64Url } from '../../model/base64.ts';
import { badArgument } from '../arguments.ts';
import { describeExpectedValue } from './call-syntax.ts';
import { type ArgumentPair, parseJsonArgument } from './read-tool-arguments.ts';
import type { SchemaView } from './schema-view.ts';

export function valueFromPairs(pairs: readonly ArgumentPair[], view: SchemaView): unknown {
  const [first, second] = pairs;
  if (first === undefined) return undefined;
  const { types } = view;
  const list = types.includes('array');
  if (second === undefined) {
    const { value } = first;
    if (!list || types.includes('string') || value.sort === 'json') return single(first, view);
    if (value.sort === 'text' && value.text.startsWith('[')) return parseJsonArgument(value.text, first.word);
    return [single(first, view.items)];
  }
  if (!list && types.length > 0)
    throw badArgument(
      second.word,
      `"${first.key}" is given twice, and takes one value: ${describeExpectedValue(view)}`,
    );
  return pairs.map((pair) => single(pair, view.items));
}

function single(pair: ArgumentPair, view: SchemaView): unknown {
  const { value, word } = pair;
  if (value.sort === 'json') return value.json;
  return value.sort === 'text' ? fromText(value.text, view, word) : fromFile(value.bytes, view, word);
}

function fromFile(bytes: Uint8Array, view: SchemaView, word: string): unknown {
  if (view.encoding === 'base64') return toBase64(bytes);
  if (view.encoding === 'base64url') return toBase64Url(bytes);
  const text = asText(bytes, word);
  return isText(view) ? text : fromText(text.trim(), view, word);
}

function asText(bytes: Uint8Array, word: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw badArgument(word, 'the file is not UTF-8 text, and the schema of the tool does not accept base64');
  }
}

function fromText(text: string, view: SchemaView, word: string): unknown {
  const chosen = view.choices?.find((choice) => choice === text || JSON.stringify(choice) === text);
  if (chosen !== undefined) return chosen;
  if (isText(view)) return text;
  const { types } = view;
  // Without a type, text that looks like JSON is parsed as JSON.
  if (types.length === 0 && view.choices === undefined)
    return looksLikeJson(text) ? parseJsonArgument(text, word) : text;
  for (const type of types) {
    const found = readers.get(type)?.(text, word);
    if (found !== undefined) return found;
  }
  throw badArgument(word, `expected ${describeExpectedValue(view)}, not ${JSON.stringify(text)}`);
}

const isText = ({ types }: SchemaView): boolean => types.includes('string');

const looksLikeJson = (text: string): boolean =>
  /^(?:[[{"].*|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/s.test(text);

/** Parsers by type. Undefined if the text is not a value of the type. */
const readers: ReadonlyMap<string, (text: string, word: string) => unknown> = new Map([
  ['number', numberIn],
  ['integer', numberIn],
  ['boolean', (text) => (text === 'true' ? true : text === 'false' ? false : undefined)],
  ['null', (text) => (text === 'null' ? null : undefined)],
  ['object', (text, word) => (text.startsWith('{') ? parseJsonArgument(text, word) : undefined)],
  ['array', (text, word) => (text.startsWith('[') ? parseJsonArgument(text, word) : undefined)],
]);

function numberIn(text: string, word: string): number | undefined {
  if (text.trim() === '' || !Number.isFinite(Number(text))) return undefined;
  if (/^[+-]?\d+$/.test(text) && !Number.isSafeInteger(Number(text)))
    throw badArgument(word, 'the number has more digits than a JSON number can hold exactly');
  return Number(text);
}
