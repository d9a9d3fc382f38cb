import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../../test/support/children.ts';
import { folder } from '../../../test/support/command-line.ts';
import { connect } from '../../connect/index.ts';
import { resource } from '../../server/resource.ts';
import { createServer } from '../../server/server.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { listSkills } from './list-skills.ts';
import { loadSkill } from './load-skill.ts';
import { skills } from './skills.ts';
import { type WatchSkillsOptions, watchSkills } from './watch-skills.ts';

const skillMd = (name: string, body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: How to ${name}\n---\n\n${body}\n`;

async function served(options?: WatchSkillsOptions) {
  const dir = await folder();
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(dir.path, path, '..'), { recursive: true });
    await writeFile(join(dir.path, path), text);
  };
  await write('moor/SKILL.md', skillMd('moor'));
  await write('moor/KNOTS.md', 'Bowline');
  const warnings: string[] = [];
  const set = await skills({ folders: { '': dir.path }, onWarning: (warning) => warnings.push(warning) });
  const server = createServer({ name: 'dock', version: '1', parts: [], skills: set });
  const watch = watchSkills(server, set, options);
  const client = await connect(server);
  return {
    ...{ dir, write, warnings, watch, client, server },
    names: async () => (await listSkills(client)).map(({ frontmatter }) => frontmatter.name),
    async [Symbol.asyncDispose]() {
      watch.close();
      await client.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

test('a change in a folder of skills is served, and clients are notified of changed resources', async () => {
  await using at = await served();
  const told: string[] = [];
  const watching = at.client.watch({ resources: true });
  const file = at.client.watch({ resources: ['skill://moor/KNOTS.md'] });
  await Promise.all([watching.granted, file.granted]);
  for (const one of [watching, file])
    void (async () => {
      for await (const change of one) told.push(change.kind === 'resource' ? change.uri : change.kind);
    })();
  await at.write('moor/KNOTS.md', 'Clove hitch');
  await at.write('untie/SKILL.md', skillMd('untie'));
  await eventually('the client was told', () => told.includes('resources') && told.includes('skill://moor/KNOTS.md'));
  await at.watch.reload();
  expect(await at.names()).toEqual(['moor', 'untie']);
  const skill = await loadSkill(at.client, 'skill://moor/SKILL.md', () => true);
  expect(new TextDecoder().decode(await skill?.read('KNOTS.md'))).toBe('Clove hitch');
  await rm(join(at.dir.path, 'untie'), { recursive: true });
  await at.watch.reload();
  expect(await at.names()).toEqual(['moor']);
  await expect(at.client.request('resources/read', { uri: 'skill://untie/SKILL.md' })).rejects.toMatchObject({
    code: -32602,
  });
});

test('a mistake in a folder of skills is reported, and the server keeps what it had', async () => {
  await using at = await served();
  await at.write('moor/SKILL.md', '---\nname: [\n---\n');
  await at.watch.reload();
  expect(at.warnings.join()).toContain('the frontmatter is not valid YAML');
  expect((await loadSkill(at.client, 'skill://moor/SKILL.md', () => true))?.text).toBe(skillMd('moor'));
  await at.write('moor/SKILL.md', skillMd('moor', 'Do it again.'));
  await at.watch.reload();
  expect((await loadSkill(at.client, 'skill://moor/SKILL.md', () => true))?.text).toContain('Do it again.');
});

test('skills of which one file cannot be served change nothing: its URI belongs to another resource of the server', async () => {
  // The folder is read only when the test says so.
  await using at = await served({ clock: virtualClock() });
  at.server.add(resource({ name: 'taken', uri: 'skill://untie/KNOTS.md', read: () => 'mine' }));
  const read = (uri: string): Promise<unknown> => at.client.request('resources/read', { uri });
  const before = await at.client.request('resources/list', {});
  await at.write('moor/SKILL.md', skillMd('moor', 'Do it again.'));
  await at.write('untie/SKILL.md', skillMd('untie'));
  await at.write('untie/KNOTS.md', 'Bowline');
  await at.write('weigh/SKILL.md', skillMd('weigh'));
  await rm(join(at.dir.path, 'moor', 'KNOTS.md'));
  await at.watch.reload();
  expect(at.warnings.join()).toContain('skill://untie/KNOTS.md');
  expect(await at.names()).toEqual(['moor']);
  expect(await at.client.request('resources/list', {})).toEqual(before);
  expect(await read('skill://moor/KNOTS.md')).toMatchObject({ contents: [{ text: 'Bowline' }] });
  expect(await read('skill://untie/KNOTS.md')).toMatchObject({ contents: [{ text: 'mine' }] });
  expect((await loadSkill(at.client, 'skill://moor/SKILL.md', () => true))?.text).toBe(skillMd('moor'));
  at.server.remove('skill://untie/KNOTS.md');
  await at.watch.reload();
  expect(await at.names()).toEqual(['moor', 'untie', 'weigh']);
  expect((await loadSkill(at.client, 'skill://moor/SKILL.md', () => true))?.text).toContain('Do it again.');
});

test('nothing is served after the watch was closed, and other objects are not watched', async () => {
  await using at = await served();
  at.watch.close();
  await at.write('untie/SKILL.md', skillMd('untie'));
  await at.watch.reload();
  expect(await at.names()).toEqual(['moor']);
  expect(() => watchSkills(at.server, { kind: 'skills', names: [] })).toThrow('make them with skills()');
});
