/**
 * Text from elsewhere, safe to show: whatever drives a terminal, reorders what is read or is not seen is written out. The one
 * sanitizer of the package; names go through `printable`, text of several lines through `printableLines`, JSON through `printableJson`.
 */

/** Scripts in which invisible characters control how letters join. */
const joining =
  '[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}]';
/** What emoji and such scripts are made of hides nothing. Without lookbehind, which not every browser knows. */
const harmless: string = [
  `${joining}[\\u200c\\u200d](?=${joining})`,
  '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\u200d(?=\\p{Extended_Pictographic})',
  '\\p{Emoji}\\p{Emoji_Modifier}?[\\ufe0e\\ufe0f](?:\\u200d(?=\\p{Extended_Pictographic}))?',
].join('|');
const unseen = /* @__PURE__ */ new RegExp(`${harmless}|(\\p{Default_Ignorable_Code_Point})`, 'gu');
const unsafe = new RegExp(
  `${harmless}|([\\p{Cc}\\p{Cs}\\u2028\\u2029\\ufff9-\\ufffb\\p{Default_Ignorable_Code_Point}])`,
  'gu',
);
/** Most text, which need not be looked at further. */
const isPlain = /^[\x20-\x7e]*$/;

/** On one line: line breaks are written out too, so that no name can forge a line. */
export const printable = (text: string): string => replaceUnsafe(text, escapeOf);

/** The same without these characters. */
export const removeUnprintable = (text: string): string => replaceUnsafe(text, () => '');

/** Lines stay lines, and tabs tabs. */
export const printableLines = (text: string): string =>
  replaceUnsafe(text.replaceAll('\r\n', '\n'), (c) => (c === '\n' || c === '\t' ? c : escapeOf(c)));

/** The same behind a word of ours: no later line of it begins where ours do. */
export const printableIndented = (text: string): string => printableLines(text).replace(/\n(?!\s)/g, '\n  ');

/** A JSON document that means the same. */
export const printableJson = (json: string): string =>
  replaceUnsafe(json, (c) => (c === '\n' ? c : c.split('').map(escapeOf).join('')));

/** Characters that are not seen, replaced; a terminal is driven as before. */
export const replaceUnseen = (text: string, by: (c: string) => string): string =>
  isPlain.test(text) ? text : text.replace(unseen, (whole, c: string | undefined) => (c === undefined ? whole : by(c)));

const replaceUnsafe = (text: string, by: (c: string) => string): string =>
  isPlain.test(text) ? text : text.replace(unsafe, (whole, c: string | undefined) => (c === undefined ? whole : by(c)));

function escapeOf(c: string): string {
  const code = Number(c.codePointAt(0)).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** A URL as it may be shown: a query may hold secrets, and one without an origin, such as `data:`, anything at all. */
export const displayUrl = ({ origin, protocol, pathname }: URL): string =>
  origin === 'null' ? protocol : origin + pathname;

/** Why the network failed: its errors hide the reason in different places. */
export function networkReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return networkReason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  // What OpenSSL writes helps no reader.
  if ('code' in error && error.code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'the port does not use TLS; try http:';
  const inner = error.cause instanceof Error ? `: ${networkReason(error.cause)}` : '';
  return printable(`${error.message === '' ? error.name : error.message}${inner}`.slice(0, 300));
}
