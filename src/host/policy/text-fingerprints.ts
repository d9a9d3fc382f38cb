/** Computes fingerprints of text (winnowing): a long enough copy is recognized without storing the text. */

/** Letters and digits in a row that two texts must share to be detected at all. */
export const SHORTEST = 32;
/** Letters and digits in a row that are always detected. */
export const CERTAIN = 40;
/** The window of winnowing: of this many consecutive pieces, one is kept. Texts that share a whole window keep the same piece. */
export const RUN: number = CERTAIN - SHORTEST + 1;

const BASES: readonly [number, number] = [0x01000193, 0x2c1b3c6d];

/** Removes case, accents, spaces and punctuation. */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** A fingerprint, and the start of its piece in the text. */
export type TextFingerprint = readonly [fingerprint: number, at: number];

/** The fingerprints of normalized text, with their positions. */
export function fingerprintsOf(text: string): TextFingerprint[] {
  const hashes = rollingHashes(text);
  const kept: TextFingerprint[] = [];
  let [least, last] = [-1, -1];
  for (let end = 0; end < hashes.length; end++) {
    const start = Math.max(0, end - RUN + 1);
    if (least < start) least = leastIn(hashes, start, end);
    else if ((hashes[end] ?? 0) <= (hashes[least] ?? 0)) least = end;
    // Before the window is full, nothing is kept. A text that is shorter than a window keeps its least hash.
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

/** The hash of every piece of the text (Rabin–Karp). */
function rollingHashes(text: string): number[] {
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

/** The factor of the oldest character of a piece, to remove it from the hash. */
function power(base: number): number {
  let product = 1;
  for (let i = 1; i < SHORTEST; i++) product = Math.imul(product, base);
  return product;
}

/** Combines two weak hashes into one of 52 bits. Mixes the bits, so that the least hash does not prefer certain texts. */
function mixHashes(a: number, b: number): number {
  const high = Math.imul(a ^ (a >>> 15), 0x85ebca6b) >>> 6;
  const low = Math.imul(b ^ (b >>> 13), 0xc2b2ae35) >>> 6;
  return high * 0x400_0000 + low;
}
