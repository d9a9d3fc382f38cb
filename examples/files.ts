/**
 * A file server that stays within the folders the user opened. Every path is looked at as the disk has it, so neither `..` nor a link
 * leads out, and the folders are asked for in every call, so that closing one closes it.
 *
 *   npx tsx examples/files.ts
 */
import { strict as assert } from 'node:assert';
import { constants, rmSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createServer, type Root, ToolError, tool } from 'mooring';
import { connect } from 'mooring/client';
import * as z from 'zod';
import { everywhere } from './support/everywhere.ts';

// #region within
/** The path as the disk has it, if it lies in one of the folders. It does not reveal whether the path exists elsewhere. */
async function within(roots: readonly Root[], path: string): Promise<string> {
  for (const { uri } of roots.filter((root) => root.uri.startsWith('file:'))) {
    const folder = await realpath(fileURLToPath(uri)).catch(() => undefined); // it may be gone
    const found = folder && (await realpath(resolve(folder, path)).catch(() => undefined));
    if (folder && found && !leadsOut(relative(folder, found))) return found;
  }
  throw new ToolError(`There is no ${path} in the folders that are open`);
}
const leadsOut = (way: string): boolean => way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
// #endregion

// #region tools
const path = z.string().describe('Relative to a folder that is open, or absolute');

const list = tool({
  name: 'list',
  description: 'Lists a folder; without a path, the folders that are open',
  effects: 'read',
  input: z.object({ path: path.optional() }),
  async run({ path }, ctx) {
    const roots = await ctx.roots();
    if (path === undefined) return roots.map(({ uri, name }) => name ?? uri).join('\n');
    const entries = await readdir(await within(roots, path), { withFileTypes: true });
    return entries
      .map((entry) => entry.name + (entry.isDirectory() ? '/' : ''))
      .sort()
      .join('\n');
  },
});

const read = tool({
  name: 'read',
  description: 'Reads a text file of up to 1 MiB',
  effects: 'read',
  input: z.object({ path }),
  async run({ path }, ctx) {
    const found = await within(await ctx.roots(), path);
    // Should a link have taken its place in the meantime, it is not followed.
    await using file = await open(found, constants.O_RDONLY | constants.O_NOFOLLOW);
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > 1024 * 1024) throw new ToolError(`${path} is no file of up to 1 MiB`);
    return file.readFile('utf8');
  },
});
// #endregion

const files = createServer({ name: 'files', version: '1.0.0', parts: [list, read], onWarning: () => undefined });

const disk = await mkdtemp(join(tmpdir(), 'mooring-files-'));
process.once('exit', () => rmSync(disk, { recursive: true }));
const folder = (name: string): { uri: string; name: string } => ({ uri: pathToFileURL(join(disk, name)).href, name });
await mkdir(join(disk, 'work', 'notes'), { recursive: true });
await mkdir(join(disk, 'workshop'));
await writeFile(join(disk, 'work', 'notes', 'today.md'), 'Water the plants');
await writeFile(join(disk, 'workshop', 'secret.md'), 'Not yours');
await symlink('../../workshop', join(disk, 'work', 'notes', 'shortcut'));
await symlink('notes/today.md', join(disk, 'work', 'latest.md'));

let opened = [folder('work')];
await everywhere({ server: files, file: import.meta.url, roots: () => opened, onWarning() {} }, async (client) => {
  opened = [folder('work')];
  const refused = (path: string): Promise<void> => assert.rejects(client.call('read', { path }), /There is no/);

  assert.equal((await client.call('list')).text, 'work');
  assert.equal((await client.call('list', { path: '.' })).text, 'latest.md\nnotes/');
  assert.equal((await client.call('read', { path: 'notes/today.md' })).text, 'Water the plants');
  assert.equal((await client.call('read', { path: 'latest.md' })).text, 'Water the plants', 'a link within is fine');

  await refused('../workshop/secret.md');
  await refused(join(disk, 'workshop', 'secret.md')); // begins with the same letters as the folder that is open
  await refused('notes/shortcut/secret.md');
  await refused('nowhere.md');
  await assert.rejects(client.call('read', { path: 'notes' }), /is no file/);

  opened = [folder('gone'), folder('workshop')];
  await client.rootsChanged();
  assert.equal((await client.call('read', { path: 'secret.md' })).text, 'Not yours', 'now it is open');
  await refused('notes/today.md');
});

await using closed = await connect(files);
await assert.rejects(closed.call('list'), /roots/, 'a client without folders opens nothing');
