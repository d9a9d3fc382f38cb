/** The spellings of a URI. Rules compare what a URI names, so that another spelling of it is no way around a rule. */

/** Schemes whose hosts are names of the network, with the port that may be left out. */
const portOf: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
  ['ws', '80'],
  ['wss', '443'],
  ['ftp', '21'],
  ['file', ''],
]);

const uri = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(.*)/is;
/** No honest URI is encoded more often than this. */
const MAX_DECODINGS = 8;

/** What comes before the path, taken apart. */
interface Start {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
}

/** Whether a text is compared as a URI. */
export const looksLikeUri = (text: string): boolean => uri.test(stripSpace(text));

/** Every spelling that a reader may take the URI for, the one that was given first. */
export function spellingsOf(given: string): readonly string[] {
  const clean = stripSpace(given);
  const named = [clean, decodeFully(clean)].flatMap((one) => [normalizeUri(one), normalizeUri(one, { bare: true })]);
  return [...new Set([given, ...named])];
}

/**
 * The spellings that must all be allowed, the normal one first. None where readers differ about what is named: dot segments, plain or
 * encoded, backslashes, white space, and a user's name before the host.
 */
export function certainSpellings(given: string): readonly string[] {
  const [, , authority = '', path = ''] = uri.exec(given) ?? [];
  const isOdd = /[\p{Cc}\s\\]/u.test(given) || authority.includes('@') || /\.(?::\d*)?$/.test(authority);
  if (isOdd || normalStart(given) !== given || hasDots(decodeFully(path))) return [];
  return [...new Set([normalizeUri(given, { keepCase: true }), normalizeUri(decodeFully(given), { keepCase: true })])];
}

/** Whether a path has a segment that leads up. */
export const hasParentSegment = (path: string): boolean => /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(decodeFully(path));

interface UriForm {
  /** Without the user's name, and without the dot that a host may end with. */
  readonly bare?: boolean;
  /** Hosts of the server's own schemes may differ by case. */
  readonly keepCase?: boolean;
}

/** The normal form of RFC 3986, section 6.2.2 and 6.2.3. Text that is no URI stays as it is. */
export function normalizeUri(given: string, { bare = false, keepCase = false }: UriForm = {}): string {
  const parts = uri.exec(normalStart(given));
  if (parts === null) return given;
  const [, written = '', authority, path = '', rest = ''] = parts;
  const scheme = written.toLowerCase();
  const plain = unescapePlain(authority === undefined && !path.startsWith('/') ? path : withoutDots(path));
  if (authority === undefined) return `${scheme}:${plain}${unescapePlain(rest)}`;
  const [, user = '', host = ''] = /(.*@)?(.*)/s.exec(authority) ?? [];
  const start = bare ? { scheme, user: '', host: host.replace(/\.(?=:\d*$|$)/, '') } : { scheme, user, host };
  const place = placeOf(start, keepCase);
  return `${scheme}://${place}${plain === '' && portOf.has(scheme) && !host.includes('*') ? '/' : plain}${unescapePlain(rest)}`;
}

function placeOf({ scheme, user, host }: Start, keepCase: boolean): string {
  const usual = portOf.get(scheme);
  if (usual === undefined) return `${user}${keepCase ? host : host.toLowerCase()}`;
  const [, name = '', port = ''] = /(.*?)(?::(\d*))?$/s.exec(host) ?? [];
  // The platform knows the other ways to write an address, such as 0x7f.1 and letters of other scripts.
  const known =
    !name.includes('*') && URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : name.toLowerCase();
  const local = scheme === 'file' && known === 'localhost' ? '' : known;
  return `${user}${local}${port === '' || port === usual ? '' : `:${port}`}`;
}

/**
 * Programs read `https:/host`, `https:host` and `https:\\host` like `https://host`, and `file:/path` like `file:///path`. Folders have no
 * empty names.
 */
const normalStart = (text: string): string =>
  text
    .replace(/^(?:https?|wss?|ftp|file):[^?#]*/i, (start) => start.replaceAll('\\', '/'))
    .replace(/^(https?|wss?|ftp):\/*/i, '$1://')
    .replace(/^(file):\/(?!\/)/i, '$1:///')
    .replace(/^(file:\/\/[^/?#]*)([^?#]*)/i, (_, start: string, path: string) => start + path.replace(/\/{2,}/g, '/'));

/** White space that programs leave out before they read. */
const stripSpace = (text: string): string => text.replace(/^[\p{Cc} ]*|[\t\r\n]/gu, '').trimEnd();

/** Letters and digits are written as they are, and everything else that is escaped in capitals. */
const unescapePlain = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (whole, hex: string) => {
    const letter = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(letter) ? letter : whole.toUpperCase();
  });

/** What is left when nothing can be decoded any more. */
function decodeFully(text: string): string {
  let [before, now] = ['', text];
  for (let times = 0; times < MAX_DECODINGS && now !== before; times++) {
    before = now;
    now = now.replace(/(?:%[0-9a-f]{2})+/gi, decodeOnce);
  }
  return now;
}

function decodeOnce(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    // Some of the bytes are no text; the others are.
    return escapes.replace(/%[0-7]./g, (one) => String.fromCharCode(Number.parseInt(one.slice(1), 16)));
  }
}

const hasDots = (path: string): boolean => /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(path);

function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/');
  for (const [i, segment] of segments.entries()) {
    const plain = segment.replace(/%2e/gi, '.');
    if (plain === '..' && kept.length > 1) kept.pop();
    if (plain !== '.' && plain !== '..') kept.push(segment);
    else if (i === segments.length - 1) kept.push('');
  }
  return kept.join('/');
}
