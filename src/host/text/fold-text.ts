/** Text as it reads at a glance: one case, one space, one letter for those that look alike. */
import { removeInvisible } from './invisible.ts';

/** Letters of other alphabets that pass for Latin ones, each with the one that it passes for. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [
    'аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl',
    'αa εe ιi κk νv οo ρp τt υu χx ϲc ϳj օo ոn սu հh ɑa ɡg ıi',
  ].flatMap((row) => row.split(' ').map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)])),
);

export const foldText = (text: string): string =>
  removeInvisible(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[ΰ-ӿԀ-֏ɐ-ʯı]/g, (letter) => lookalikes.get(letter) ?? letter)
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/g, ' ');
