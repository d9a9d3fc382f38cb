/** The address of a server as a lock file keeps it: what lies below the file's folder is named from there, so that the folder can be copied. */
import { basename, dirname } from 'node:path';

/** `path` is the lock file. Paths are compared as whole words and in full. */
export function portableAddress(address: string, path: string): string {
  const folder = dirname(path);
  if (folder === dirname(folder) || basename(folder) === '') return address;
  // Words with blanks are quoted, and then a backslash is written twice.
  const spellings = new Set([folder, JSON.stringify(folder).slice(1, -1)]);
  const before = `(^|[\\s"'=:,])`;
  const after = `(?=[/\\\\\\s"',]|$)`;
  return [...spellings].reduce(
    (text, one) => text.replace(new RegExp(`${before}${escapeRegExp(one)}${after}`, 'g'), '$1.'),
    address,
  );
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
