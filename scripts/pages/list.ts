/** The pages that are run: all handwritten pages. */
import { existsSync } from 'node:fs';
import { filesUnder } from '../files.ts';

export function writtenPages(): string[] {
  const pages = filesUnder('docs', '.md').filter((page) => !page.startsWith('docs/reference/api/'));
  return ['README.md', ...pages.filter((page) => page !== 'docs/reference/command-line.md')].filter(existsSync);
}
