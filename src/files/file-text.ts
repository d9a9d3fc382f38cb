/** Converts bytes to text and back losslessly: a byte that is not UTF-8 becomes a lone surrogate, which valid UTF-8 never decodes to. */
import { Buffer, isUtf8 } from 'node:buffer';

/** U+DC80 to U+DCFF stand for the bytes 80 to FF, as in Python's `surrogateescape`. */
const ESCAPE = 0xdc00;

export function decodeLossless(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] ?? 0);
    const one = bytes.subarray(at, at + length);
    if (one.length === length && isUtf8(one)) {
      text += one.toString('utf8');
      at += length;
    } else {
      text += String.fromCharCode(ESCAPE + (bytes[at] ?? 0));
      at++;
    }
  }
  return text;
}

export function encodeLossless(text: string): Buffer {
  const escaped = /[\udc80-\udcff]/u;
  if (!escaped.test(text)) return Buffer.from(text);
  // With the flag u, the pattern does not match half of a surrogate pair.
  const parts = text.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part) => (escaped.test(part) ? Buffer.of(part.charCodeAt(0) - ESCAPE) : Buffer.from(part))),
  );
}

/** The length in bytes of the UTF-8 sequence that starts with this byte. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
