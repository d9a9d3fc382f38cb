/** Paths as a person writes them: from the project, or from the home folder. */
import type { Shell } from './shell.ts';

export function shortPath(file: string, { cwd, home }: Pick<Shell, 'cwd' | 'home'>): string {
  if (file.startsWith(`${cwd}/`)) return file.slice(cwd.length + 1);
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
