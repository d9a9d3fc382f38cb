/** Makes paths in a server's address relative to the folder of the lock file, so that the folder can be copied. */
import { basename, dirname } from 'node:path';

/** `path` is the lock file. Replaces its folder only between separators, never as a part of another name. */
export function portableAddress(address: string, path: string): string {
  const folder = dirname(path);
  if (folder === dirname(folder) || basename(folder) === '') return address;
  // In quoted words, backslashes are doubled.
  const spellings = new Set([folder, JSON.stringify(folder).slice(1, -1)]);
  const before = `(^|[\\s"'=:,])`;
  const after = `(?=[/\\\\\\s"',]|$)`;
  return [...spellings].reduce(
    (text, one) => text.replace(new RegExp(`${before}${escapeRegExp(one)}${after}`, 'g'), '$1.'),
    address,
  );
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
