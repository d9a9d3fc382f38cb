/** Filters and sorts resources by their annotations. */
import type { Annotations, Role } from '../../model/content.ts';
import type { CatalogueItem } from './item.ts';

/** Options to filter resources. */
export interface ResourceInterest {
  /** Returns only resources for this audience, and those without one. */
  readonly audience?: Role;
}

/** Sorts by priority, then date, then name. Missing values come last. */
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
