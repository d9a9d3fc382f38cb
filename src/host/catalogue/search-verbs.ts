/** Words for doing the same: people say "cancel", tools are called `delete_`. */
import { stem } from '../text/words.ts';

/** What tools are usually called, and what people call it. A word may be in several. */
const groups: readonly (readonly string[])[] = [
  'list search find query lookup browse enumerate show see view check all any many',
  'get read fetch retrieve show view open describe inspect look see check display',
  'create add new insert make write post send open start begin publish set schedule book submit register upload record put launch',
  'update edit modify change set rename move assign adjust patch replace turn switch put increase decrease scale accept',
  'delete remove drop destroy archive cancel erase clear discard stop close rid',
].map((group) => group.split(' ').map(stem));

/** The other words of the groups that a word is in. */
export const sameDeed = (word: string): readonly string[] =>
  groups.filter((group) => group.includes(word)).flatMap((group) => group.filter((one) => one !== word));
