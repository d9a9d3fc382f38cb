/**
 * A unit of strings: any character but a lone surrogate. It is what the unit `binary` of fast-check is, without the table of a million
 * strings that this one takes a second for, and keeps.
 */
import fc from 'fast-check';

const [SURROGATES, COUNT] = [0xd800, 0x800];

const characterAt = (place: number): string => String.fromCodePoint(place < SURROGATES ? place : place + COUNT);

/** With this, fast-check knows that strings such as `__proto__` can be made of these characters, and tries them. */
function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? 0) : 0;
  const place = code < SURROGATES ? code : code - COUNT;
  if (characterAt(place) !== character) throw new Error('not one character');
  return place;
}

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - COUNT })
  .map(characterAt, placeOf);
