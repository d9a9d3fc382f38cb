/** The other forms in which text may travel: escaped, in base64, as hexadecimal digits. One inside another, two deep. */
import { Buffer } from 'node:buffer';

const DEPTH = 2;
const SAMPLE = 96;
/** Shorter ones hold too little to be recognised. */
const base64 = /[\w+/-]{43,}/g;
const base64Lines = /^[\w+/=\s-]{43,}$/;
const hex = /(?:[\da-f]{2}[\s:,]?){40,}/gi;
const escapes = /%([\da-f]{2})|\\u([\da-f]{4})|\\x([\da-f]{2})|&#x([\da-f]{1,6});|&#(\d{1,7});/gi;

/** Text in one of its forms. What stands before `fresh` was read before. */
export interface DecodedText {
  readonly text: string;
  readonly fresh: number;
}

/** The text, and what it says when it is decoded; nothing of what is not fresh alone. */
export function decodeText(reading: DecodedText, depth: number = DEPTH): DecodedText[] {
  const found = depth === 0 ? [] : decodeOnce(reading);
  return [reading, ...found.flatMap((one) => decodeText(one, depth - 1))];
}

function decodeOnce({ text, fresh }: DecodedText): DecodedText[] {
  const found: DecodedText[] = [];
  const plain = unescapeAll(text);
  if (plain !== text) found.push({ text: plain, fresh: unescapeAll(text.slice(0, fresh)).length });
  const lines = base64Lines.test(text);
  const joined = lines ? removeSpace(text) : text;
  const known = lines ? removeSpace(text.slice(0, fresh)).length : fresh;
  // Other text may stand right before it, so where it begins is not known.
  for (const run of runs(joined, base64, known)) found.push(...parts(run, [0, 1, 2, 3], fromBase64));
  for (const run of runs(text, hex, fresh)) found.push(...parts(run, [0, 1], fromHex));
  return found;
}

/** Every stretch of text like this that does not end before something is fresh. */
function* runs(text: string, like: RegExp, fresh: number): Generator<DecodedText> {
  for (const { 0: run, index } of text.matchAll(like))
    if (index + run.length > fresh) yield { text: run, fresh: Math.max(0, fresh - index) };
}

/** What a run says from each of these beginnings on, where it says anything: most say nothing, and so do pictures. */
function parts(run: DecodedText, beginnings: readonly number[], decode: (run: string) => string): DecodedText[] {
  return beginnings.flatMap((at) => {
    const text = run.text.slice(at);
    if (!samples(text).some((sample) => isText(decode(sample)))) return [];
    return [{ text: decode(text), fresh: run.fresh <= at ? 0 : decode(text.slice(0, run.fresh - at)).length }];
  });
}

/** From its beginning, its middle and its end; as far apart as whole groups of letters are. */
const samples = (run: string): string[] =>
  [0, run.length / 2, run.length - SAMPLE].map((from) => {
    const start = Math.max(0, Math.floor(from / 4) * 4);
    return run.slice(start, start + SAMPLE);
  });

const isText = (text: string): boolean => {
  const strange = text.replace(/[\p{L}\p{N}\p{P}\p{S}\p{M}\s]/gu, '').length + text.split('\ufffd').length - 1;
  return strange * 5 < text.length;
};

const removeSpace = (text: string): string => text.replace(/\s+/g, '');

/** Both alphabets. */
const fromBase64 = (run: string): string =>
  Buffer.from(run.replace(/-/g, '+').replace(/_/g, '/'), 'base64').toString('utf8');

const fromHex = (run: string): string => Buffer.from(run.replace(/[\s:,]/g, ''), 'hex').toString('utf8');

function unescapeAll(text: string): string {
  if (!/[%\\&]/.test(text)) return text;
  // Bytes that follow each other may be one character.
  const bytes = text.replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replace(/%/g, ''), 'hex').toString('utf8'));
  return bytes.replace(escapes, (whole, ...groups: (string | undefined)[]) => {
    const [percent, four, two, entity, decimal] = groups;
    const digits = percent ?? four ?? two ?? entity;
    const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
