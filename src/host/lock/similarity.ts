/** Whether a part is an old one under another name. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { stem, stopwords, wordsOf } from '../text/words.ts';
import { proseIn } from './texts.ts';

/** Two that have so much in common are one. */
export const SAME = 0.7;

/** Between 0 and 1: what they take counts for more than what is said about them. */
export function similarity(a: JsonObject, b: JsonObject): number {
  const [shapeA, shapeB] = [shapeOf(a), shapeOf(b)];
  const words = overlap(contentOf(a), contentOf(b));
  // Many tools take nothing; then there are only the words.
  return shapeA.size === 0 && shapeB.size === 0 ? words : 0.6 * overlap(shapeA, shapeB) + 0.4 * words;
}

const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const both = [...a].filter((one) => b.has(one)).length;
  const all = a.size + b.size - both;
  return all === 0 ? 0 : both / all;
};

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
      .flatMap(wordsOf)
      .filter((word) => !stopwords.has(word))
      .map(stem),
  );
