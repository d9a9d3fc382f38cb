/** Saves results to `--out`: a file, or a folder in which each part gets its own name. Overwrites only with `--force`. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../../files/file-fault.ts';
import { badArgument } from '../arguments.ts';
import { flag, type Options, withValue } from '../command.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';
import { fileName, numberedName } from './file-name.ts';

export const outputOptions = {
  out: withValue('file | folder', 'Save binary results here'),
  force: flag('Overwrite existing files with --out'),
} as const satisfies Options;

/** Bytes to save, with the server's name for them. */
export interface SavedPart {
  readonly name: string;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
}

export interface OutputTarget {
  /** The paths, in the order of the parts. */
  save(parts: readonly SavedPart[]): Promise<readonly string[]>;
}

/** Undefined without `--out`. Checks now, before the call, that the target can be written; throws `MCP_BAD_ARGUMENT`. */
export async function openOutputTarget(
  { out, force = false }: { readonly out?: string; readonly force?: boolean },
  shell: Shell,
): Promise<OutputTarget | undefined> {
  if (out === undefined) {
    if (force) throw badArgument('--force', 'this option requires --out');
    return undefined;
  }
  const path = pathFrom(shell, out);
  const there = await stat(path).catch(() => undefined);
  const writing = { force, signal: shell.signal, taken: new Map<string, number>() };
  if (there?.isDirectory() === true || (there === undefined && /[/\\]$/.test(out))) return intoFolder(path, writing);
  // The result would replace a device, such as /dev/null, instead of being written to it.
  if (there?.isFile() === false) throw badArgument(`--out ${out}`, 'expected a file or a folder');
  if (there !== undefined && !force) throw badArgument(`--out ${out}`, 'this file exists; pass --force to replace it');
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (folder?.isDirectory() !== true) throw badArgument(`--out ${out}`, `folder not found (${dirname(path)})`);
  return { save: (parts) => saveInTurn(parts, () => path, writing) };
}

interface SaveOptions {
  readonly force: boolean;
  readonly signal: AbortSignal;
  /** Paths written so far, so that `--force` does not overwrite parts of the same result, with the last number tried for each name. */
  readonly taken: Map<string, number>;
}

const intoFolder = (folder: string, writing: SaveOptions): OutputTarget => ({
  async save(parts) {
    if (parts.length > 0) await mkdir(folder, { recursive: true });
    return saveInTurn(parts, ({ name, mimeType }) => join(folder, fileName(name, mimeType)), writing);
  },
});

async function saveInTurn(
  parts: readonly SavedPart[],
  pathOf: (part: SavedPart) => string,
  { force, signal, taken }: SaveOptions,
): Promise<readonly string[]> {
  const saved: string[] = [];
  for (const part of parts) {
    // Not with the name of the part: it can be as long as the file system allows.
    const temporary = await writeNew(part.bytes, join(dirname(pathOf(part)), `${randomUUID()}.part`), signal);
    try {
      const wanted = pathOf(part);
      // Continues after the last number: thousands of parts can have the same name.
      for (let number = (taken.get(wanted) ?? 0) + 1; ; number++) {
        const path = numberedName(wanted, number);
        if (taken.has(path) || !(await moveTo(path, temporary, force))) continue;
        taken.set(path, 1);
        taken.set(wanted, number);
        saved.push(path);
        break;
      }
    } finally {
      await rm(temporary, { force: true });
    }
  }
  return saved;
}

async function writeNew(bytes: Uint8Array, path: string, signal: AbortSignal): Promise<string> {
  try {
    await writeFile(path, bytes, { flag: 'wx', signal });
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** False if the path exists and `force` is not set. */
async function moveTo(path: string, temporary: string, force: boolean): Promise<boolean> {
  if (force) {
    await rename(temporary, path);
    return true;
  }
  try {
    // Unlike rename(), both fail if the path exists, without a race. Some file systems have no hard links.
    await link(temporary, path).catch(() => copyFile(temporary, path, constants.COPYFILE_EXCL));
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
