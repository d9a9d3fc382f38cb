/** Whether a part is an old one under another name. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { splitWords, stem, stopwords } from '../text/words.ts';
import { proseIn } from './texts.ts';

/** Two that have so much in common are one. */
export const SAME = 0.7;

/** What of a definition is compared: what it takes, and the words that are said about it. */
export interface Features {
  readonly shape: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

export const featuresOf = (definition: JsonObject): Features => ({
  shape: shapeOf(definition),
  words: contentOf(definition),
});

/** Between 0 and 1: what they take counts for more than what is said about them. */
export const similarity = (a: Features, b: Features): number => weighed(a, b, overlap);

/** What `similarity` cannot exceed, by the sizes alone. */
export const similarityBound = (a: Features, b: Features): number =>
  weighed(a, b, (one, other) => {
    const [less, more] = [Math.min(one.size, other.size), Math.max(one.size, other.size)];
    return more === 0 ? 0 : less / more;
  });

function weighed(
  a: Features,
  b: Features,
  compare: (a: ReadonlySet<string>, b: ReadonlySet<string>) => number,
): number {
  const words = compare(a.words, b.words);
  // Many tools take nothing; then there are only the words.
  return a.shape.size === 0 && b.shape.size === 0 ? words : 0.6 * compare(a.shape, b.shape) + 0.4 * words;
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [less, more] = a.size < b.size ? [a, b] : [b, a];
  let both = 0;
  for (const one of less) if (more.has(one)) both++;
  const all = a.size + b.size - both;
  return all === 0 ? 0 : both / all;
}

/** Parameters with their types; for prompts, arguments. */
function shapeOf({ inputSchema, arguments: args }: JsonObject): Set<string> {
  const properties = isObject(inputSchema) && isObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const parameters = Object.entries(properties).map(
    ([name, schema]) => `${name} ${isObject(schema) ? String(schema['type']) : ''}`,
  );
  const listed = Array.isArray(args) ? args.filter(isObject).map(({ name }) => String(name)) : [];
  return new Set([...parameters, ...listed]);
}

const contentOf = (definition: JsonObject): Set<string> =>
  new Set(
    proseIn(definition)
      .flatMap(splitWords)
      .filter((word) => !stopwords.has(word))
      .map(stem),
  );
