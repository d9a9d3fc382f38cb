/** Of files that were not asked for by name, those that have to do with servers: an editor's settings may hold none. */
import { parseJsonc } from '../../host/config/jsonc.ts';
import { isObjectNode } from '../../host/config/jsonc-tree.ts';
import { configBytes } from '../../host/config/read-config.ts';
import { findServerLists } from '../../host/config/shapes.ts';

export async function filesWithServers(files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map(async (file) => ((await isOfInterest(file)) ? [file] : [])));
  return found.flat();
}

/** What cannot be read may hold some, and is told of. */
async function isOfInterest(file: string): Promise<boolean> {
  try {
    const text = (await configBytes(file))?.toString('utf8') ?? '';
    if (text.trim() === '') return false;
    const root = parseJsonc(text);
    return !isObjectNode(root) || findServerLists(root).length > 0;
  } catch {
    return true;
  }
}
