/** Which resources come first, by what their servers say of them. */
import type { Annotations, Role } from '../../model/content.ts';
import type { CatalogueItem } from './item.ts';

/** For whom resources are put in order. */
export interface ResourceInterest {
  /** Only what is meant for them; what names no audience is meant for everybody. */
  readonly audience?: Role;
}

/** By importance, then by date, then by name: what is not said comes after what is. */
export function byInterest(
  parts: readonly CatalogueItem<'resource'>[],
  { audience }: ResourceInterest,
): readonly CatalogueItem<'resource'>[] {
  const meant = parts.filter(({ definition: { annotations } }) => {
    const named = annotations?.audience;
    return audience === undefined || !Array.isArray(named) || named.includes(audience);
  });
  return meant.toSorted((a, b) => {
    const [x, y] = [a.definition.annotations ?? {}, b.definition.annotations ?? {}];
    return priorityOf(y) - priorityOf(x) || timeOf(y) - timeOf(x) || (a.name < b.name ? -1 : 1);
  });
}

const priorityOf = ({ priority }: Annotations): number =>
  typeof priority === 'number' && priority >= 0 && priority <= 1 ? priority : -1;

const timeOf = ({ lastModified }: Annotations): number => {
  const time = typeof lastModified === 'string' ? Date.parse(lastModified) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
};
