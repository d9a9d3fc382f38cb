/** Decodes text that is escaped, or encoded in base64 or hexadecimal digits, up to two encodings deep. */
import { Buffer } from 'node:buffer';

const DEPTH = 2;
const SAMPLE = 96;
/** Shorter runs hold too little text to be recognized. */
const base64 = /[\w+/-]{43,}/g;
const base64Lines = /^[\w+/=\s-]{43,}$/;
const hex = /(?:[\da-f]{2}[\s:,]?){40,}/gi;
const escapes = /%([\da-f]{2})|\\u([\da-f]{4})|\\x([\da-f]{2})|&#x([\da-f]{1,6});|&#(\d{1,7});/gi;

/** A text, or one of its decodings. The part before the index `fresh` was checked with an earlier act. */
export interface DecodedText {
  readonly text: string;
  readonly fresh: number;
}

/** The text and its decodings, without encoded runs that end before `fresh`. */
export function decodeText(whole: DecodedText, depth: number = DEPTH): DecodedText[] {
  const found = depth === 0 ? [] : decodeOnce(whole);
  return [whole, ...found.flatMap((one) => decodeText(one, depth - 1))];
}

function decodeOnce({ text, fresh }: DecodedText): DecodedText[] {
  const found: DecodedText[] = [];
  const plain = unescapeAll(text);
  if (plain !== text) found.push({ text: plain, fresh: unescapeAll(text.slice(0, fresh)).length });
  const hasLines = base64Lines.test(text);
  const joined = hasLines ? removeSpace(text) : text;
  const known = hasLines ? removeSpace(text.slice(0, fresh)).length : fresh;
  // Other text can directly precede the encoding, so all alignments are tried.
  for (const run of findRuns(joined, base64, known)) found.push(...decodeRun(run, [0, 1, 2, 3], fromBase64));
  for (const run of findRuns(text, hex, fresh)) found.push(...decodeRun(run, [0, 1], fromHex));
  return found;
}

/** The matches of a pattern that end after `fresh`. */
function* findRuns(text: string, pattern: RegExp, fresh: number): Generator<DecodedText> {
  for (const { 0: run, index } of text.matchAll(pattern))
    if (index + run.length > fresh) yield { text: run, fresh: Math.max(0, fresh - index) };
}

/** Decodes a run from each offset, and keeps results that are text: wrong offsets and pictures give binary data. */
function decodeRun(run: DecodedText, offsets: readonly number[], decode: (run: string) => string): DecodedText[] {
  return offsets.flatMap((at) => {
    const text = run.text.slice(at);
    if (!samplesOf(text).some((sample) => isText(decode(sample)))) return [];
    return [{ text: decode(text), fresh: run.fresh <= at ? 0 : decode(text.slice(0, run.fresh - at)).length }];
  });
}

/** Samples from the start, the middle and the end, aligned to groups of four characters. */
const samplesOf = (run: string): string[] =>
  [0, run.length / 2, run.length - SAMPLE].map((from) => {
    const start = Math.max(0, Math.floor(from / 4) * 4);
    return run.slice(start, start + SAMPLE);
  });

const isText = (text: string): boolean => {
  const binary = text.replace(/[\p{L}\p{N}\p{P}\p{S}\p{M}\s]/gu, '').length + text.split('\ufffd').length - 1;
  return binary * 5 < text.length;
};

const removeSpace = (text: string): string => text.replace(/\s+/g, '');

/** Standard and URL-safe alphabet. */
const fromBase64 = (run: string): string =>
  Buffer.from(run.replace(/-/g, '+').replace(/_/g, '/'), 'base64').toString('utf8');

const fromHex = (run: string): string => Buffer.from(run.replace(/[\s:,]/g, ''), 'hex').toString('utf8');

function unescapeAll(text: string): string {
  if (!/[%\\&]/.test(text)) return text;
  // Consecutive bytes can be one character in UTF-8.
  const bytes = text.replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replace(/%/g, ''), 'hex').toString('utf8'));
  return bytes.replace(escapes, (whole, ...groups: (string | undefined)[]) => {
    const [percent, four, two, entity, decimal] = groups;
    const digits = percent ?? four ?? two ?? entity;
    const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
