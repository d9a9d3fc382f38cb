/** Characters that are not seen, or make others look like something else. */

/** Scripts whose letters are told to join, or not to, by characters that are not seen. */
const joining =
  '[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}]';
/** Those that pictures and such scripts are made of hide nothing. */
const harmless: string = [
  '\\ufe0e',
  '\\ufe0f',
  '(?<=\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|\\ufe0f)\\u200d',
  `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
].join('|');
const unseen = new RegExp(`(?!${harmless})\\p{Default_Ignorable_Code_Point}`, 'gu');
// biome-ignore lint/suspicious/noControlCharactersInRegex: what drives a terminal and is no line or tab is what it is about
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g;

const spelled = (c: string): string => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`;

/** The same text with every character written out that would not be seen. */
export const visible = (text: string): string => text.replace(unseen, spelled);

/** The same, and nothing in it that drives a terminal; lines stay lines. */
export const legible = (text: string): string => visible(text).replace(control, spelled);

/** The text as it is read: without what is not seen. */
export const seen = (text: string): string => text.replace(unseen, '');
