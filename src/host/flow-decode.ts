/** The other forms in which text may travel: escaped, in base64, as hexadecimal digits. One inside another, two deep. */
import { Buffer } from 'node:buffer';

const DEPTH = 2;
/** Shorter ones hold too little to be recognised. */
const base64 = /[\w+/-]{43,}/g;
const base64Lines = /^[\w+/=\s-]{43,}$/;
const hex = /(?:[\da-f]{2}[\s:,]?){40,}/gi;
const escapes = /%([\da-f]{2})|\\u([\da-f]{4})|\\x([\da-f]{2})|&#x([\da-f]{1,6});|&#(\d{1,7});/gi;

/** The text, and what it says when it is decoded. */
export function readings(text: string, depth: number = DEPTH): string[] {
  const found = depth === 0 ? [] : decoded(text);
  return [text, ...found.flatMap((one) => readings(one, depth - 1))];
}

function decoded(text: string): string[] {
  const found: string[] = [];
  const plain = unescaped(text);
  if (plain !== text) found.push(plain);
  const joined = base64Lines.test(text) ? text.replace(/\s+/g, '') : text;
  for (const [run] of joined.matchAll(base64)) found.push(fromBase64(run));
  for (const [run] of text.matchAll(hex)) found.push(Buffer.from(run.replace(/[\s:,]/g, ''), 'hex').toString('utf8'));
  return found;
}

/** Both alphabets. */
const fromBase64 = (run: string): string =>
  Buffer.from(run.replace(/-/g, '+').replace(/_/g, '/'), 'base64').toString('utf8');

function unescaped(text: string): string {
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
