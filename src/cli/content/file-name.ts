/** File names for results, from untrusted names and URIs: one path segment without special characters. */
import { join, parse } from 'node:path';

const MAX_LENGTH = 80;
/** File systems count bytes: common ones allow 255, some encrypting ones 143. */
const MAX_BYTES = 120;
const extensions: ReadonlyMap<string, string> = new Map([
  ['audio/mpeg', 'mp3'],
  ['audio/x-wav', 'wav'],
  ['image/jpeg', 'jpg'],
  ['image/svg+xml', 'svg'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  ['text/plain', 'txt'],
]);

/** `called` can be a URI, a path or a name. */
export function fileName(called: string, mimeType: string | undefined): string {
  const plain = lastBytes(lastSegment(called).replace(/[^\p{L}\p{N}._-]+/gu, '-'))
    // Prevents hidden files, and names that a program would parse as an option.
    .replace(/^[.-]+|[.-]+$/g, '');
  const name = plain === '' ? 'result' : plain;
  // Reserved device names on Windows, with any extension.
  const safe = /^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?:\.|$)/i.test(name) ? `_${name}` : name;
  return /\.[\p{L}\p{N}]{1,10}$/u.test(safe) ? safe : `${safe}.${extensionOf(mimeType)}`;
}

/** `chart.png`, then `chart-2.png`. */
export function numberedName(path: string, number: number): string {
  if (number === 1) return path;
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}-${number}${ext}`);
}

function lastBytes(text: string): string {
  const bytes = Buffer.from(text.slice(-MAX_LENGTH)).subarray(-MAX_BYTES);
  // The first character may have been cut.
  return bytes.toString().replace(/^\ufffd+/, '');
}

function lastSegment(called: string): string {
  const [path = ''] = called.split(/[?#]/);
  const word = path.split(/[/\\]/).findLast((one) => one !== '') ?? '';
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

function extensionOf(mimeType = ''): string {
  const [type = ''] = mimeType.toLowerCase().split(';');
  const [, kind = ''] = /^\w+\/([a-z\d]{2,5})$/.exec(type.trim()) ?? [];
  return extensions.get(type.trim()) ?? (kind === '' ? 'bin' : kind);
}
