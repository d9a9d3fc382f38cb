/** Lets this process load TypeScript: with the user's own `tsx` where there is one, else as Node does it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const isTypeScript = (file: string): boolean => /\.[cm]?tsx?$/i.test(file);

/** `folders`: where `tsx` may be installed. Without one, Node tries alone. */
export async function allowTypeScript(file: string, folders: readonly string[]): Promise<void> {
  if (!isTypeScript(file)) return;
  const [loader] = folders.flatMap((folder) => resolved('tsx', folder));
  // What `node --import tsx` does.
  if (loader !== undefined) await import(pathToFileURL(loader).href);
}

/** Nothing, where it is not installed. */
function resolved(name: string, folder: string): readonly string[] {
  try {
    return [createRequire(join(folder, 'package.json')).resolve(name)];
  } catch {
    return [];
  }
}
