/**
 * A unit of strings: any character except a lone surrogate. Like the unit `binary` of fast-check, without its table of a million
 * strings, which takes a second to build.
 */
import fc from 'fast-check';

const [SURROGATES, COUNT] = [0xd800, 0x800];

const characterAt = (place: number): string => String.fromCodePoint(place < SURROGATES ? place : place + COUNT);

/** Lets fast-check recognize and try strings such as `__proto__`. */
function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? 0) : 0;
  const place = code < SURROGATES ? code : code - COUNT;
  if (characterAt(place) !== character) throw new Error('not one character');
  return place;
}

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - COUNT })
  .map(characterAt, placeOf);
