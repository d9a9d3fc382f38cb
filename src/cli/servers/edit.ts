/** Changes to one configuration file: made in memory, shown, and written as a whole or not at all. */
import { constants, copyFile, mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { McpError } from '../../errors.ts';
import { configText } from '../../host/config/read-config.ts';
import { type ConfigChange, edited, replaceText } from '../../host/config/write-config.ts';
import { badArgument } from '../arguments.ts';
import { unifiedDiff } from './diff.ts';

export interface Edit {
  readonly file: string;
  /** Undefined where there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Throws `MCP_BAD_CONFIG` where the file cannot be read as JSON. */
export async function edit(
  path: string,
  changes: readonly (readonly [name: string, change: ConfigChange | 'remove'])[],
): Promise<Edit> {
  // What a link leads to is changed, and the link stays.
  const file = await realpath(path).catch(() => path);
  const before = await textOf(file);
  const after = changes.reduce(
    (text, [name, change]) => edited(text, { file, name, change }),
    before === undefined || before.trim() === '' ? '{}\n' : before,
  );
  return { file, before, after };
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await configText(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw new McpError('MCP_BAD_CONFIG', { file, line: 1, why: `it cannot be read: ${why}` });
  }
}

export const diffOf = ({ file, before = '', after }: Edit): readonly string[] => unifiedDiff(file, before, after);

/** Throws when somebody else has changed the file since it was read. */
export async function carryOut({ file, before, after }: Edit): Promise<void> {
  if ((await textOf(file)) !== before)
    throw badArgument(file, 'somebody else has just changed it, so nothing was written; try again');
  if (after === before) return;
  await mkdir(dirname(file), { recursive: true });
  await replaceText(file, after);
}

/** A copy beside the file, under a name that no other copy has. Undefined where there was no file. */
export async function backUp({ file, before }: Edit, wall: number): Promise<string | undefined> {
  if (before === undefined) return undefined;
  const stamp = new Date(wall).toISOString().replace(/[-:]|\.\d+/g, '');
  for (let n = 1; ; n++) {
    const backup = `${file}.bak-${stamp}${n === 1 ? '' : `-${n}`}`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}
