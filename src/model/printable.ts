/**
 * Text from elsewhere, safe to show: whatever drives a terminal, reorders what is read or is not seen is written out. The one
 * sanitizer of the package; names go through `printable`, text of several lines through `printableLines`, JSON through `printableJson`.
 */

/**
 * Finds what is not seen (first group), and what else is unsafe (second group). Before them it matches what hides nothing: the
 * characters that join letters in some scripts, and those that emoji are made of. Without lookbehind, which not every browser
 * knows. A literal in a function: reading it takes milliseconds, which no program spends before the first text that needs it.
 */
const findUnsafe = (): RegExp =>
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}][\u200c\u200d](?=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}])|[\p{Extended_Pictographic}\p{Emoji_Modifier}]\u200d(?=\p{Extended_Pictographic})|\p{Emoji}\p{Emoji_Modifier}?[\ufe0e\ufe0f](?:\u200d(?=\p{Extended_Pictographic}))?|(\p{Default_Ignorable_Code_Point})|([\p{Cc}\p{Cs}\u2028\u2029\ufff9-\ufffb])/gu;
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
  replaceFound(text, (whole, unseen) => (unseen === undefined ? whole : by(unseen)));

const replaceUnsafe = (text: string, by: (c: string) => string): string =>
  replaceFound(text, (whole, unseen, other) => (unseen === undefined && other === undefined ? whole : by(whole)));

type Replacer = (whole: string, unseen: string | undefined, other: string | undefined) => string;
const replaceFound = (text: string, by: Replacer): string =>
  isPlain.test(text) ? text : text.replace(findUnsafe(), by);

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
  const own = (error.message === '' ? error.name : error.message).replace(/\s*\n\s*/g, ' ');
  const inner = error.cause instanceof Error ? networkReason(error.cause) : '';
  // Errors of ours quote their cause.
  return printable((own.includes(inner) ? own : `${own}: ${inner}`).slice(0, 300));
}
