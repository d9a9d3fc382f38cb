/** Folds text for matching: lower case, single spaces, and one letter for those that look alike (homoglyphs). */
import { removeUnseen } from '../../model/printable.ts';

/** Pairs of a letter from another alphabet, and the Latin letter that it looks like. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [
    'аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl',
    'αa εe ιi κk νv οo ρp τt υu χx ϲc ϳj օo ոn սu հh ɑa ɡg ıi',
  ].flatMap((row) => row.split(' ').map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)])),
);

export const foldText = (text: string): string =>
  removeUnseen(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[ΰ-ӿԀ-֏ɐ-ʯı]/g, (letter) => lookalikes.get(letter) ?? letter)
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/g, ' ');
