/** Plans and writes changes of a configuration file, atomically. */
import { constants, copyFile } from 'node:fs/promises';
import { errorCodeOf } from '../../files/file-fault.ts';
import { plainValue } from '../../files/jsonc-tree.ts';
import { followLinks } from '../../files/replace-file.ts';
import type { ConfigFormat } from '../../host/config/config-format.ts';
import { editServer } from '../../host/config/edit-server.ts';
import { formatOf } from '../../host/config/format-of.ts';
import { entryNamed, findServerLists } from '../../host/config/shapes.ts';
import { editableText, editConfig } from '../../host/config/write-config.ts';
import type { ConfigChange } from '../../host/index.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import { badArgument } from '../arguments.ts';
import { unifiedDiff } from './diff.ts';

type NamedChange = readonly [name: string, change: ConfigChange | 'remove'];

export interface FileEdit {
  readonly file: string;
  readonly format: ConfigFormat;
  readonly changes: readonly NamedChange[];
  /** Undefined if the file does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Throws `MCP_BAD_CONFIG` if the file cannot be parsed. */
export async function planEdit(path: string, changes: readonly NamedChange[]): Promise<FileEdit> {
  // Edits the target of a symbolic link, and keeps the link.
  const file = await followLinks(path);
  const format = await formatOf(file);
  const before = await editableText(file);
  return { file, format, changes, before, after: applyChanges(before, { file, format, changes }) };
}

const applyChanges = (
  before: string | undefined,
  { file, format, changes }: Pick<FileEdit, 'file' | 'format' | 'changes'>,
): string => changes.reduce((text, [name, change]) => editServer(text, { file, name, change, format }), before) ?? '';

export const diffOf = ({ file, before = '', after }: FileEdit): readonly string[] => unifiedDiff(file, before, after);

/**
 * Applies the changes to the current contents of the file, under a lock: another process can have edited it since it was planned.
 * Throws if the same servers changed.
 */
export async function writeEdit(planned: FileEdit, clock: Clock): Promise<void> {
  const { file, changes, before, after } = planned;
  if (after === before) return;
  await editConfig(file, clock, (now) => {
    for (const [name] of changes)
      if (now !== before && entriesOf(now, name, planned) !== entriesOf(before, name, planned))
        throw badArgument(
          file,
          'another process has just changed this server in the file, so nothing was written; try again',
        );
    return applyChanges(now, planned);
  });
}

/** All entries for a server, as canonical JSON for comparison. */
function entriesOf(text: string | undefined, name: string, { file, format }: FileEdit): string {
  if (text === undefined || text.trim() === '') return '[]';
  const found = findServerLists(format.parse(text), file).map((list) => entryNamed(list, name));
  return canonicalJson(found.flatMap((node) => (node === undefined ? [] : [plainValue(node)])));
}

/** Copies the file to a new `.bak-<time>` file next to it. Undefined if there was no file. */
export async function backUp({ file, before }: FileEdit, wall: number): Promise<string | undefined> {
  if (before === undefined) return undefined;
  const stamp = new Date(wall).toISOString().replace(/[-:]|\.\d+/g, '');
  for (let n = 1; ; n++) {
    const backup = `${file}.bak-${stamp}${n === 1 ? '' : `-${n}`}`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}
