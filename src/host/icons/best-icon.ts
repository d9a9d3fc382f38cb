/** Chooses the icon that fits a place best. */
import { checkList, checkObject } from '../../model/check-argument.ts';
import type { Icon } from '../../model/content.ts';

/** The size and theme of the place where an icon is displayed. */
export interface IconPlace {
  /** Pixels on a side. */
  readonly size: number;
  readonly theme?: 'light' | 'dark' | undefined;
}

/** Returns the icon with the matching theme and the smallest sufficient size. An icon without sizes or theme fits any place. */
export function bestIcon(icons: readonly Icon[], place: IconPlace): Icon | undefined {
  checkList(icons, 'bestIcon(icons, place)', 'a list of icons');
  checkObject(place, 'bestIcon(icons, place)', 'an object with size and theme');
  const [best] = icons
    .map((icon, i) => ({ icon, rank: [themeRank(icon, place), ...sizeRank(icon, place), i] }))
    .toSorted((a, b) => compareRanks(a.rank, b.rank));
  return best?.icon;
}

const compareRanks = (a: readonly number[], b: readonly number[]): number =>
  a.map((one, i) => one - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;

/** 0 for the same theme, 1 for no theme, 2 for the other theme. */
const themeRank = ({ theme }: Icon, { theme: wanted }: IconPlace): number =>
  theme === undefined || wanted === undefined ? 1 : theme === wanted ? 0 : 2;

/** Ranks large enough before scalable before unknown before too small; then by the difference in pixels. */
function sizeRank({ sizes }: Icon, { size }: IconPlace): readonly [number, number] {
  const stated = Array.isArray(sizes) ? sizes.filter((one) => typeof one === 'string') : [];
  const sides = stated.flatMap((one) => {
    const [, width, height] = /^(\d{1,5})x(\d{1,5})$/i.exec(one) ?? [];
    return width === undefined ? [] : [Math.min(Number(width), Number(height))];
  });
  const enough = sides.filter((side) => side >= size);
  if (enough.length > 0) return [0, Math.min(...enough) - size];
  if (stated.some((one) => one.toLowerCase() === 'any')) return [1, 0];
  return sides.length === 0 ? [2, 0] : [3, size - Math.max(...sides)];
}
