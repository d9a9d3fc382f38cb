/** Lists the files under a folder as sorted paths from the root of the repository. */
import { existsSync, readdirSync } from 'node:fs';

export function filesUnder(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      // Packages and build output are not ours.
      if (entry.isDirectory()) return ['node_modules', '.cache'].includes(entry.name) ? [] : filesUnder(path, ending);
      return path.endsWith(ending) ? [path] : [];
    })
    .sort();
}
