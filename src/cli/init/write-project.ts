/** Writes all files of a project atomically: all or none. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../../files/file-fault.ts';
import { badArgument } from '../arguments.ts';

/** Staging folder, inside the target so that files are moved by rename on the same file system. */
const STAGE = '.mooring-init';

/** A folder with only these entries counts as empty. */
const ignoredEntries: readonly string[] = ['.git'];

/** Throws `MCP_BAD_ARGUMENT` unless the folder is empty or missing. `argument` is the folder as it was typed. */
export async function checkEmpty(folder: string, argument: string): Promise<void> {
  const found = await readdir(folder).catch((thrown: unknown): readonly string[] => {
    const code = errorCodeOf(thrown);
    if (code === 'ENOENT') return [];
    throw badArgument(argument, code === 'ENOTDIR' ? 'this is a file; name a folder' : 'this folder cannot be read');
  });
  const [first] = found.filter((name) => !ignoredEntries.includes(name));
  if (first !== undefined)
    throw badArgument(argument, `this folder is not empty (${first}); name an empty or a new folder`);
}

export async function writeProject(
  folder: string,
  files: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  // mkdir returns the topmost folder that it created; undefined if all existed.
  const created = await mkdir(folder, { recursive: true });
  const stage = join(folder, STAGE);
  const moved: string[] = [];
  try {
    for (const [path, text] of files) {
      signal.throwIfAborted();
      await mkdir(dirname(join(stage, path)), { recursive: true });
      await writeFile(join(stage, path), text);
    }
    for (const name of await readdir(stage)) {
      await rename(join(stage, name), join(folder, name));
      moved.push(name);
    }
    await rm(stage, { recursive: true });
  } catch (thrown) {
    const leftovers = created === undefined ? [STAGE, ...moved].map((name) => join(folder, name)) : [created];
    for (const path of leftovers) await rm(path, { recursive: true, force: true });
    throw thrown;
  }
}
