/** Normalizes URIs for rules, so that another spelling of a URI does not bypass a rule. */

/** Schemes with network hosts, and their default ports. */
const portOf: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
  ['ws', '80'],
  ['wss', '443'],
  ['ftp', '21'],
  ['file', ''],
]);

const uri = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(.*)/is;
/** No honest URI is percent-encoded more often than this. */
const MAX_DECODINGS = 8;

/** The parts of a URI before its path. */
interface UriStart {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
}

/** Whether a text is compared as a URI. */
export const looksLikeUri = (text: string): boolean => uri.test(stripSpace(text));

/** Every URI that a program could read in the text, starting with the text itself. */
export function spellingsOf(given: string): readonly string[] {
  const clean = stripSpace(given).normalize();
  const plain = decodeFully(clean).normalize();
  const encoded = plain.includes('://') ? [encodeFully(plain)] : [];
  const normal = [clean, plain, ...encoded].flatMap((one) => [normalizeUri(one), normalizeUri(one, { bare: true })]);
  return [...new Set([given, ...normal])];
}

/** The forms in which `spellingsOf` a URI can match a pattern. An encoded `*` stays encoded, because it is no wildcard. */
export function patternForms(pattern: string): readonly string[] {
  const plain = pattern
    .split(/%(?:25)*2a/i)
    .map(decodeFully)
    .join('%2A');
  return [pattern, plain].map((one) => normalizeUri(one).normalize());
}

/**
 * The spellings that an `allow` rule must all match, the normalized one first. Empty if programs disagree about what the URI names:
 * dot segments, plain or encoded, backslashes, white space, user info, or a dot after the host.
 */
export function certainSpellings(given: string): readonly string[] {
  const [, , authority = '', path = ''] = uri.exec(given) ?? [];
  const isAmbiguous = /[\p{Cc}\s\\]/u.test(given) || authority.includes('@') || /\.(?::\d*)?$/.test(authority);
  if (isAmbiguous || normalizeStart(given) !== given || hasDotSegment(decodeFully(path))) return [];
  return [...new Set([normalizeUri(given, { keepCase: true }), normalizeUri(decodeFully(given), { keepCase: true })])];
}

/** Whether a path has a `..` segment, plain or encoded. */
export const hasParentSegment = (path: string): boolean => /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(decodeFully(path));

interface UriForm {
  /** Removes user info, a dot after the host, and the host of a file, which many programs ignore. Writes mapped IPv4 as IPv4. */
  readonly bare?: boolean;
  /** Keeps the case of hosts in a server's own schemes, where it can matter. */
  readonly keepCase?: boolean;
}

/** Normalizes a URI by RFC 3986, sections 6.2.2 and 6.2.3. Text that is not a URI stays unchanged. */
export function normalizeUri(given: string, { bare = false, keepCase = false }: UriForm = {}): string {
  const parts = uri.exec(normalizeStart(given));
  if (parts === null) return given;
  const [, written = '', authority, path = '', rest = ''] = parts;
  const scheme = written.toLowerCase();
  const plain = unescapePlain(authority === undefined && !path.startsWith('/') ? path : removeDotSegments(path));
  if (authority === undefined) return `${scheme}:${plain}${unescapePlain(rest)}`;
  const [, user = '', host = ''] = /(.*@)?(.*)/s.exec(authority) ?? [];
  const bareHost = scheme === 'file' ? '' : host.replace(/\.(?=:\d*$|$)/, '');
  const start = bare ? { scheme, user: '', host: bareHost } : { scheme, user, host };
  const whole = normalizeAuthority(start, keepCase);
  const normal = bare ? unmapAddress(whole) : whole;
  return `${scheme}://${normal}${plain === '' && portOf.has(scheme) && !host.includes('*') ? '/' : plain}${unescapePlain(rest)}`;
}

function normalizeAuthority({ scheme, user, host }: UriStart, keepCase: boolean): string {
  const usual = portOf.get(scheme);
  if (usual === undefined) return `${user}${keepCase ? host : host.toLowerCase()}`;
  const [, name = '', digits = ''] = /(.*?)(?::(\d*))?$/s.exec(host) ?? [];
  const port = digits.replace(/^0+(?=\d)/, '');
  // `URL` normalizes other notations of a host, such as 0x7f.1 and internationalized names.
  const known =
    !name.includes('*') && URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : name.toLowerCase();
  const local = scheme === 'file' && known === 'localhost' ? '' : known;
  return `${user}${local}${port === '' || port === usual ? '' : `:${port}`}`;
}

/** Writes an IPv4 address that is mapped into IPv6, which leads to the same host, as IPv4. */
const unmapAddress = (authority: string): string =>
  authority.replace(/^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]/, (_, ...groups: string[]) =>
    groups
      .slice(0, 2)
      .map((group) => Number.parseInt(group, 16))
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.'),
  );

/**
 * Programs read `https:/host`, `https:host` and `https:\\host` as `https://host`, and `file:/path` and `file:path` as `file:///path`. They ignore empty
 * segments in paths of files.
 */
const normalizeStart = (text: string): string =>
  text
    .replace(/^(?:https?|wss?|ftp|file):[^?#]*/i, (start) => start.replaceAll('\\', '/'))
    .replace(/^(https?|wss?|ftp):\/*/i, '$1://')
    .replace(/^(file):\/?(?!\/)/i, '$1:///')
    .replace(/^(file:\/\/[^/?#]*)([^?#]*)/i, (_, start: string, path: string) => start + path.replace(/\/{2,}/g, '/'));

/** Removes the white space that programs ignore in a URL. */
const stripSpace = (text: string): string => text.replace(/^[\p{Cc}\s]*|[\t\r\n]/gu, '').trimEnd();

/** Encodes all that a URI cannot contain, and `*`. */
const encodeFully = (text: string): string => encodeURI(text.replace(/\p{Cs}/gu, '\ufffd')).replaceAll('*', '%2A');

/** Decodes escaped unreserved characters, and writes all other escapes in upper case. */
const unescapePlain = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (whole, hex: string) => {
    const letter = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(letter) ? letter : whole.toUpperCase();
  });

/** Percent-decodes until nothing changes. */
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
    // Not valid UTF-8: decode the ASCII characters only.
    return escapes.replace(/%[0-7]./g, (one) => String.fromCharCode(Number.parseInt(one.slice(1), 16)));
  }
}

const hasDotSegment = (path: string): boolean => /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(path);

function removeDotSegments(path: string): string {
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
