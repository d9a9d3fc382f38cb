/** Changes to one configuration file: made in memory, shown, and written as a whole or not at all. */

import { constants, copyFile } from 'node:fs/promises';
import { codeOf } from '../../files/file-fault.ts';
import { parseJsonc } from '../../files/jsonc.ts';
import { memberOf, plainValue } from '../../files/jsonc-tree.ts';
import { followLinks } from '../../files/replace-file.ts';
import { findServerLists } from '../../host/config/shapes.ts';
import { editableText, editConfig, editServer } from '../../host/config/write-config.ts';
import type { ConfigChange } from '../../host/index.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import { badArgument } from '../arguments.ts';
import { unifiedDiff } from './diff.ts';

type NamedChange = readonly [name: string, change: ConfigChange | 'remove'];

export interface FileEdit {
  readonly file: string;
  readonly changes: readonly NamedChange[];
  /** Undefined where there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Throws `MCP_BAD_CONFIG` where the file cannot be read as JSON. */
export async function edit(path: string, changes: readonly NamedChange[]): Promise<FileEdit> {
  // What a link leads to is changed, and the link stays.
  const file = await followLinks(path);
  const before = await editableText(file);
  return { file, changes, before, after: changed(before, file, changes) };
}

const changed = (before: string | undefined, file: string, changes: readonly NamedChange[]): string =>
  changes.reduce(
    (text, [name, change]) => editServer(text, { file, name, change }),
    before === undefined || before.trim() === '' ? '{}\n' : before,
  );

export const diffOf = ({ file, before = '', after }: FileEdit): readonly string[] => unifiedDiff(file, before, after);

/**
 * On top of what the file holds by now: another process can have added a server meanwhile. Throws when one has changed the very
 * servers that this edit is about.
 */
export async function carryOut({ file, changes, before, after }: FileEdit, clock: Clock): Promise<void> {
  if (after === before) return;
  await editConfig(file, clock, (now) => {
    for (const [name] of changes)
      if (now !== before && entriesOf(now, name) !== entriesOf(before, name))
        throw badArgument(file, 'another process has just changed it, so nothing was written; try again');
    return changed(now, file, changes);
  });
}

/** What a text says of a server, wherever in it. */
function entriesOf(text: string | undefined, name: string): string {
  if (text === undefined || text.trim() === '') return '[]';
  const found = findServerLists(parseJsonc(text)).map(({ servers }) => memberOf(servers, name));
  return canonicalJson(found.flatMap((node) => (node === undefined ? [] : [plainValue(node)])));
}

/** A copy beside the file, under a name that no other copy has. Undefined where there was no file. */
export async function backUp({ file, before }: FileEdit, wall: number): Promise<string | undefined> {
  if (before === undefined) return undefined;
  const stamp = new Date(wall).toISOString().replace(/[-:]|\.\d+/g, '');
  for (let n = 1; ; n++) {
    const backup = `${file}.bak-${stamp}${n === 1 ? '' : `-${n}`}`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}
