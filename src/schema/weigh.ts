/** Measures how much of a value there is to check, level by level. */
import { isObject } from '../jsonrpc/message.ts';

/** Evaluations that are always allowed per part of a value: the cost of a check can grow with the size of the message. */
export const EVALUATIONS_PER_PART = 16;
const MAX_DEPTH = 200;
const MAX_PARTS = 10_000_000;
/** Reading this many characters costs about as much as evaluating one subschema. */
const CHARACTERS = 64;
/** Comparisons for `uniqueItems` that cost as much: of numbers or texts, and of parts of lists and objects. */
const COMPARISONS = 64;
const DEEP_COMPARISONS = 8;

interface Weight {
  /** The number of all values, at every depth. */
  readonly parts: number;
  readonly levels: readonly Level[];
}
/** The amount on one nesting level of a value. */
interface Level {
  /** The number of values; a list whose items are compared counts for more. */
  parts: number;
  /** Their texts and property names, in units that cost as much as one evaluation. */
  text: number;
}

/** Evaluations that are allowed for a value of any size. The interpreter is slower than generated code: it gets an eighth. */
export const leastEvaluations = (generate: boolean): number => (generate ? 1_000_000 : 125_000);

/** The allowed evaluations of a check: `least`, or more for a value with many parts. */
export const allowedEvaluations = (parts: number, least: number): number =>
  Math.max(least, EVALUATIONS_PER_PART * parts);

/** Throws `RangeError` if the value is too deep or too large. `unique`: the schema has `uniqueItems`, so list items are compared. */
export function weighValue(value: unknown, unique: boolean): Weight {
  const levels: Level[] = [];
  let parts = 0;
  const visit = (part: unknown, depth: number, name = ''): void => {
    if (depth > MAX_DEPTH) throw new RangeError(`the value is nested deeper than ${MAX_DEPTH} levels`);
    if (++parts > MAX_PARTS) throw new RangeError(`the value has more than ${MAX_PARTS} parts`);
    const before = parts;
    const level = levels[depth] ?? { parts: 0, text: 0 };
    levels[depth] = level;
    level.parts++;
    level.text += name.length / CHARACTERS;
    if (typeof part === 'string') level.text += part.length / CHARACTERS;
    else if (Array.isArray(part)) {
      for (const item of part) visit(item, depth + 1);
      const inside = parts - before;
      if (unique) level.parts += (part.length * inside) / (inside > part.length ? DEEP_COMPARISONS : COMPARISONS);
    } else if (isObject(part)) for (const key of Object.keys(part)) visit(part[key], depth + 1, key);
  };
  visit(value, 0);
  return { parts, levels };
}
