/** A name for a file, from what a server calls it: one plain word that leads nowhere else. */

const LONGEST = 80;
const extensions: ReadonlyMap<string, string> = new Map([
  ['application/octet-stream', 'bin'],
  ['audio/mpeg', 'mp3'],
  ['audio/x-wav', 'wav'],
  ['image/jpeg', 'jpg'],
  ['image/svg+xml', 'svg'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  ['text/plain', 'txt'],
]);

/** `called` may be a URI, a path or a name. */
export function fileName(called: string, mimeType: string | undefined): string {
  const plain = lastWord(called)
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(-LONGEST)
    // No hidden file, and nothing that reads as an option.
    .replace(/^[.-]+|[.-]+$/g, '');
  const name = plain === '' ? 'result' : plain;
  // Windows has devices under these names, whatever stands behind the dot.
  const safe = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name) ? `_${name}` : name;
  return /\.[\p{L}\p{N}]{1,10}$/u.test(safe) ? safe : `${safe}.${extensionOf(mimeType)}`;
}

/** `chart.png`, then `chart-2.png`. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name;
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
}

function lastWord(called: string): string {
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
