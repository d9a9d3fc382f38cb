/** Characters that are not seen, or make others look like something else. */
import { replaceUnseen } from '../../model/printable.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: what drives a terminal and is no line or tab is what it is about
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g;

const spellOut = (c: string): string => `\\u{${Number(c.codePointAt(0)).toString(16)}}`;

/** The same text with every character written out that would not be seen. */
export const escapeInvisible = (text: string): string => replaceUnseen(text, spellOut);

/** The same, and nothing in it that drives a terminal; lines stay lines. */
export const escapeUnprintable = (text: string): string => escapeInvisible(text).replace(control, spellOut);

/** The text as it is read: without what is not seen. */
export const removeInvisible = (text: string): string => replaceUnseen(text, () => '');
