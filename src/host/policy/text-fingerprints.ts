/** Fingerprints of text, so that a long enough piece of it is recognised elsewhere without keeping the text. */

/** What two texts must have in common to be noticed at all, and what is always noticed: letters and digits in a row. */
export const SHORTEST = 32;
export const CERTAIN = 40;
/** Of so many pieces in a row, one is kept (winnowing): two texts that share a run of all of them keep the same one. */
export const RUN: number = CERTAIN - SHORTEST + 1;

const BASES: readonly [number, number] = [0x01000193, 0x2c1b3c6d];

/** Case, accents, spaces and punctuation do not make another text. */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** A fingerprint, and where in the text the piece begins that it is of. */
export type TextFingerprint = readonly [fingerprint: number, at: number];

/** The fingerprints of normalised text, each once for every place it was found at. */
export function fingerprintsOf(text: string): TextFingerprint[] {
  const hashes = pieces(text);
  const kept: TextFingerprint[] = [];
  let [least, last] = [-1, -1];
  for (let end = 0; end < hashes.length; end++) {
    const start = Math.max(0, end - RUN + 1);
    if (least < start) least = leastIn(hashes, start, end);
    else if ((hashes[end] ?? 0) <= (hashes[least] ?? 0)) least = end;
    // A run is whole from here on; a text that is shorter than one run is kept by its least piece.
    if ((end < RUN - 1 && end < hashes.length - 1) || least === last) continue;
    kept.push([hashes[least] ?? 0, least]);
    last = least;
  }
  return kept;
}

function leastIn(hashes: readonly number[], start: number, end: number): number {
  let least = start;
  for (let i = start + 1; i <= end; i++) if ((hashes[i] ?? 0) <= (hashes[least] ?? 0)) least = i;
  return least;
}

/** A hash of every piece of text, each made from the one before. */
function pieces(text: string): number[] {
  const [a, b] = BASES;
  const [topA, topB] = [power(a), power(b)];
  const hashes: number[] = [];
  let [hashA, hashB] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const gone = i >= SHORTEST ? text.charCodeAt(i - SHORTEST) + 1 : 0;
    const come = text.charCodeAt(i) + 1;
    hashA = (Math.imul(hashA - Math.imul(gone, topA), a) + come) | 0;
    hashB = (Math.imul(hashB - Math.imul(gone, topB), b) + come) | 0;
    if (i >= SHORTEST - 1) hashes.push(mixHashes(hashA, hashB));
  }
  return hashes;
}

/** The factor that the oldest letter of a piece has by the time it leaves. */
function power(base: number): number {
  let product = 1;
  for (let i = 1; i < SHORTEST; i++) product = Math.imul(product, base);
  return product;
}

/** Two weak hashes make one of 52 bits; mixed, so that the least of them is no special kind of text. */
function mixHashes(a: number, b: number): number {
  const high = Math.imul(a ^ (a >>> 15), 0x85ebca6b) >>> 6;
  const low = Math.imul(b ^ (b >>> 13), 0xc2b2ae35) >>> 6;
  return high * 0x400_0000 + low;
}
