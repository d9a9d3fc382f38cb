/** How much there is of a value to check, level by level. */
import { isObject } from '../jsonrpc/message.ts';

/** Always allowed for each part of a value: what is sent may cost in proportion. */
export const EVALUATIONS_PER_PART = 16;
const MAX_DEPTH = 200;
const MAX_PARTS = 10_000_000;
/** Looking at so many characters costs about as much as evaluating one subschema. */
const CHARACTERS = 64;
/** So does comparing so many numbers or texts with each other, or so many parts of lists and objects. */
const COMPARISONS = 64;
const DEEP_COMPARISONS = 8;

interface Weight {
  /** The value, its members, their members and so on. */
  readonly parts: number;
  readonly levels: readonly Level[];
}
/** What there is on one level of a value. */
interface Level {
  /** Parts; lists to be compared within count for more. */
  parts: number;
  /** Their texts and names, in units that cost as much as one part. */
  text: number;
}

/** Evaluations that any check may need, whatever its value. The validator that does not generate code is slower: it gets an eighth. */
export const leastEvaluations = (generate: boolean): number => (generate ? 1_000_000 : 125_000);

/** How many evaluations a check may need: `least` of them, or more where there are many parts. */
export const allowedEvaluations = (parts: number, least: number): number =>
  Math.max(least, EVALUATIONS_PER_PART * parts);

/** Throws `RangeError` with what is too much. `unique` says that items may have to be compared with each other. */
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
