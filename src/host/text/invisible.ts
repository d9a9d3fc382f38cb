/** Escapes characters that are invisible, or change how others are displayed. */
import { replaceUnseen } from '../../model/printable.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters, except tabs and line breaks
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g;

const escapeCodePoint = (c: string): string => `\\u{${Number(c.codePointAt(0)).toString(16)}}`;

/** Escapes invisible characters, such as `\u{200b}`. */
const escapeInvisible = (text: string): string => replaceUnseen(text, escapeCodePoint);

/** Escapes invisible characters and control characters, except tabs and line breaks. */
export const escapeUnprintable = (text: string): string => escapeInvisible(text).replace(control, escapeCodePoint);
