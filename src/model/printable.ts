/**
 * Makes untrusted text safe to display: escapes terminal control characters, bidirectional overrides and invisible characters. The only
 * sanitizer of the package: `printable` is for names, `printableLines` for text of several lines, `printableJson` for JSON.
 */

/** Letters of the scripts that join letters. */
const letter: string = String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}]`;
/**
 * Matches harmless uses of invisible characters: joiners between letters of some scripts, and parts of emoji. Some scripts have
 * invisible letters (U+061C): a joiner after one is not harmless. Without lookbehind, which some browsers lack.
 */
const harmless = String.raw`(?!\p{DI})${letter}[\u200c\u200d](?=${letter})|[\p{Extended_Pictographic}\p{Emoji_Modifier}]\u200d(?=\p{Extended_Pictographic})|\p{Emoji}\p{Emoji_Modifier}?[\ufe0e\ufe0f](?:\u200d(?=\p{Extended_Pictographic}))?`;
/** In functions, because compiling takes milliseconds, which are spent only for the first text that needs it. */
const findUnsafe = (): RegExp =>
  new RegExp(String.raw`(${harmless})|\p{DI}|[\p{Cc}\p{Cs}\u2028\u2029\ufff9-\ufffb]`, 'gu');
const findUnseen = (): RegExp => new RegExp(String.raw`(${harmless})|\p{DI}`, 'gu');
/** Fast path: most text is printable ASCII. */
const isPlain = /^[\x20-\x7e]*$/;

/** For text on one line: escapes line breaks too, so that a name cannot forge a line of output. */
export const printable = (text: string): string => replaceUnsafe(text, escapeOf);

/** Removes unsafe characters instead of escaping them. */
export const removeUnprintable = (text: string): string => replaceUnsafe(text, () => '');

/** For text of several lines: does not escape line breaks and tabs. */
export const printableLines = (text: string): string =>
  replaceUnsafe(text.replaceAll('\r\n', '\n'), (c) => (c === '\n' || c === '\t' ? c : escapeOf(c)));

/** Like `printableLines`, for text after a prefix of ours: indents the other lines, so that they do not look like our own output. */
export const printableIndented = (text: string): string => printableLines(text).replace(/\n(?!\s)/g, '\n  ');

/** Escapes unsafe characters in a JSON document, whose value stays the same. */
export const printableJson = (json: string): string =>
  replaceUnsafe(json, (c) => (c === '\n' ? c : c.split('').map(escapeOf).join('')));

/** Replaces invisible characters only: terminal control characters stay. */
export const replaceUnseen = (text: string, by: (c: string) => string): string => replaceFound(text, findUnseen, by);

/** Removes invisible characters only. Without a function for each, because a peer can send a million of them. */
export const removeUnseen = (text: string): string => (isPlain.test(text) ? text : text.replace(findUnseen(), '$1'));

const replaceUnsafe = (text: string, by: (c: string) => string): string => replaceFound(text, findUnsafe, by);

const replaceFound = (text: string, find: () => RegExp, by: (c: string) => string): string =>
  isPlain.test(text) ? text : text.replace(find(), (c, kept: string | undefined) => kept ?? by(c));

function escapeOf(c: string): string {
  const code = Number(c.codePointAt(0)).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** A URL that is safe to show: no query, which can hold secrets; only the scheme of URLs without an origin, such as `data:`. */
export const displayUrl = ({ origin, protocol, pathname }: URL): string =>
  origin === 'null' ? protocol : origin + pathname;

/** The reason for a network failure, which errors carry in different places (`errors`, `cause`). */
export function networkReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return networkReason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  // OpenSSL's own message does not help users.
  if ('code' in error && error.code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'the port does not use TLS; try http:';
  const own = (error.message === '' ? error.name : error.message).replace(/\s*\n\s*/g, ' ');
  const inner = error.cause instanceof Error ? networkReason(error.cause) : '';
  // Mooring's errors already quote their cause.
  return printable((own.includes(inner) ? own : `${own}: ${inner}`).slice(0, 300));
}
