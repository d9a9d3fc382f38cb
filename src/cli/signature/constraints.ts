/** What a schema demands of a value beyond its type, in words: ranges, lengths, patterns, defaults. */
import type { SchemaView } from '../tool-arguments/schema-view.ts';

/** `1 to 90, default 30`; empty where there is nothing to say. */
export function constraintsOf(view: SchemaView): string {
  const said = (name: string): unknown => view.keyword(name);
  const parts = [
    range(said, numberKeys, ''),
    range(said, { least: 'minLength', most: 'maxLength' }, ' characters'),
    range(said, { least: 'minItems', most: 'maxItems' }, ' items'),
    ...texts(said),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

type Said = (keyword: string) => unknown;

interface RangeKeys {
  readonly least: string;
  readonly most: string;
  readonly above?: string;
  readonly below?: string;
}

const numberKeys: RangeKeys = {
  least: 'minimum',
  most: 'maximum',
  above: 'exclusiveMinimum',
  below: 'exclusiveMaximum',
};

function range(said: Said, { least, most, above = '', below = '' }: RangeKeys, unit: string): string {
  const [from, to, over, under] = [said(least), meaningful(said(most)), said(above), meaningful(said(below))];
  const low = typeof from === 'number' && !(from === 0 && unit !== '') ? meaningful(from) : undefined;
  const counted = (count: number): string => `${count}${count === 1 ? unit.replace(/s$/, '') : unit}`;
  if (low !== undefined && to !== undefined) return low === to ? counted(low) : `${low} to ${counted(to)}`;
  const parts = [
    ...(low === undefined ? [] : [`at least ${counted(low)}`]),
    ...(to === undefined ? [] : [`at most ${counted(to)}`]),
    ...(meaningful(over) === undefined ? [] : [`more than ${String(over)}`]),
    ...(under === undefined ? [] : [`less than ${under}`]),
  ];
  return parts.join(', ');
}

/** Libraries write the limits of their integers into every schema. */
const meaningful = (limit: unknown): number | undefined =>
  typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined;

function texts(said: Said): readonly string[] {
  const [pattern, format, step, usual] = [said('pattern'), said('format'), said('multipleOf'), said('default')];
  return [
    ...(typeof format === 'string' ? [`format ${format}`] : []),
    // A format says it better than the pattern that libraries make of it.
    ...(typeof pattern === 'string' && format === undefined ? [`matches ${pattern}`] : []),
    ...(typeof step === 'number' ? [`a multiple of ${step}`] : []),
    ...(said('uniqueItems') === true ? ['no duplicates'] : []),
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
    ...(said('deprecated') === true ? ['deprecated'] : []),
  ];
}
