/** Edits one server in a configuration file, in the dialect of the file, without changing anything else. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { McpError } from '../../errors.ts';
import { FileFault } from '../../files/file-fault.ts';
import { whileLocked } from '../../files/file-lock.ts';
import { decodeLossless, encodeLossless } from '../../files/file-text.ts';
import { followLinks, replaceFile } from '../../files/replace-file.ts';
import { checkObject, checkText } from '../../model/check-argument.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { editServer } from './edit-server.ts';
import { formatOf } from './format-of.ts';
import { configBytes, resolveConfig } from './read-config.ts';
import type { ConfigChange } from './write-entry.ts';

/** Changes, adds or removes one server in a configuration file. `name` is the name in the file. */
export async function writeConfig(path: string, name: string, change: ConfigChange | 'remove'): Promise<void> {
  checkText(path, 'writeConfig(path, name, change)', 'the path of a file');
  checkText(name, 'writeConfig(path, name, change)', 'the name of a server');
  if (change !== 'remove') checkObject(change, 'writeConfig(path, name, change)', "a change, or 'remove'");
  const format = await formatOf(path);
  await editConfig(resolveConfig(path), systemClock, (before, file) =>
    editServer(before, { file, name, change, format }),
  );
}

/**
 * Reads, changes and replaces a file under a lock. A symbolic link stays, and its target is changed. Throws `MCP_BAD_CONFIG` if the
 * file cannot be read or written.
 */
export async function editConfig(
  path: string,
  clock: Clock,
  change: (before: string | undefined, file: string) => string,
): Promise<void> {
  try {
    const file = await followLinks(path);
    await mkdir(dirname(file), { recursive: true });
    await whileLocked(file, { clock }, async () => {
      const before = await editableText(file);
      const after = change(before, file);
      if (after !== before) await replaceFile(file, encodeLossless(after), { mode: 0o600 });
    });
  } catch (error) {
    throw configError(path, error);
  }
}

/** Reads a file for editing; undefined if it does not exist. The decoding is lossless, also for invalid UTF-8. */
export async function editableText(file: string): Promise<string | undefined> {
  try {
    const bytes = await configBytes(file);
    return bytes === undefined ? undefined : decodeLossless(bytes);
  } catch (error) {
    throw configError(file, error);
  }
}

const configError = (file: string, error: unknown): unknown =>
  error instanceof FileFault
    ? new McpError('MCP_BAD_CONFIG', { file, line: 1, why: `it cannot be used: ${error.why}` }, { cause: error })
    : error;
