/** skills(): folders become entries with digests, resources and directories, and all faults are reported in one error. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { everyRevision, open, STATELESS, withHandshake } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { createServer } from '../../server/server.ts';
import type { Server } from '../../server/server-interface.ts';
import { dynamicSkill } from './dynamic-skill.ts';
import { type SkillEntry, skillEntryFault } from './skill-entry.ts';
import { type SkillsSpec, skills } from './skills.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skills-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
const head = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: How to ${name}.\n${more}---\n\nDo it.\n`;
const serve = async (spec: string | SkillsSpec = root, pageSize = 1_000): Promise<Server> =>
  createServer({ name: 'dock', version: '1', parts: [], pageSize, skills: await skills(spec) });
const entriesIn = (result: JsonObject): readonly SkillEntry[] => result['skills'] as readonly SkillEntry[];
const sha = (bytes: string | Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

test('a skill is listed with its frontmatter and a digest for every file, nested skills included', async () => {
  verifies('SKILL-1', 'SKILL-2', 'SKILL-6', 'SKILL-14', 'SKILL-15', 'SKILL-16', 'SKILL-27');
  const bytes = new Uint8Array([0xff, 0x00, 0xfe]);
  write('moor/SKILL.md', head('moor', 'metadata:\n  since: "2024-01-01"\n  yes: no\n'));
  write('moor/references/KNOTS.md', '\uFEFFBowline\r\n');
  write('moor/references/knot.bin', bytes);
  write('moor/inner/untie/SKILL.md', head('untie'));
  const raw = await open(await serve(), { revision: STATELESS });
  const { capabilities } = await raw.result('server/discover');
  expect(capabilities).toMatchObject({
    resources: {},
    extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
  });
  const result = await raw.result('skills/list');
  expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
  const [moor, untie] = entriesIn(result);
  expect(untie?.uri).toBe('skill://moor/inner/untie/SKILL.md');
  expect(moor).toEqual({
    uri: 'skill://moor/SKILL.md',
    frontmatter: { name: 'moor', description: 'How to moor.', metadata: { since: '2024-01-01', yes: 'no' } },
    resources: [
      {
        uri: 'skill://moor/SKILL.md',
        digest: sha(head('moor', 'metadata:\n  since: "2024-01-01"\n  yes: no\n')),
        size: 95,
      },
      { uri: 'skill://moor/inner/untie/SKILL.md', digest: sha(head('untie')), size: head('untie').length },
      { uri: 'skill://moor/references/KNOTS.md', digest: sha('\uFEFFBowline\r\n'), size: 12 },
      { uri: 'skill://moor/references/knot.bin', digest: sha(bytes), size: 3 },
    ].map((file) => expect.objectContaining(file)),
  });
  expect(entriesIn(result).map(skillEntryFault)).toEqual([undefined, undefined]);
});

test('reading a file gives exactly the bytes that its digest covers', async () => {
  verifies('SKILL-14');
  const bytes = new Uint8Array([0xff, 0x00, 0xfe]);
  write('moor/SKILL.md', head('moor'));
  write('moor/knots é.md', '\uFEFFBowline\r\n');
  write('moor/knot.bin', bytes);
  const raw = await open(await serve(), { revision: STATELESS });
  for (const { uri, digest, size } of entriesIn(await raw.result('skills/list')).flatMap(({ resources }) =>
    resources === 'dynamic' ? [] : resources,
  )) {
    const { contents } = await raw.result('resources/read', { uri });
    const [{ text, blob }] = contents as [{ text?: string; blob?: string }];
    const read = text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text);
    expect({ uri, digest: sha(read), size: read.length }).toEqual({ uri, digest, size });
  }
});

test.each(everyRevision)(
  'in %s, a SKILL.md is a listed resource and its other files are readable',
  async (revision) => {
    verifies('SKILL-11');
    write('moor/SKILL.md', head('moor'));
    write('moor/references/KNOTS.md', 'Bowline');
    const raw = await open(await serve(), { revision });
    const { resources } = await raw.result('resources/list');
    expect(resources).toEqual([
      expect.objectContaining({
        uri: 'skill://moor/SKILL.md',
        name: 'moor',
        description: 'How to moor.',
        mimeType: 'text/markdown',
      }),
    ]);
    const { contents } = await raw.result('resources/read', { uri: 'skill://moor/references/KNOTS.md' });
    expect(contents).toEqual([{ uri: 'skill://moor/references/KNOTS.md', mimeType: 'text/markdown', text: 'Bowline' }]);
  },
);

test.each(withHandshake)('in %s, the extension is not declared and its methods do not exist', async (revision) => {
  write('moor/SKILL.md', head('moor'));
  const raw = await open(await serve(), { revision });
  expect(JSON.stringify(raw.session)).not.toContain('skills');
  for (const method of ['skills/list', 'skills/get', 'resources/directory/read']) {
    expect(await raw.error(method, { uri: 'skill://moor/SKILL.md' })).toMatchObject({ code: -32601 });
  }
});

test('a server without skills rejects their methods', async () => {
  verifies('EXT-5');
  const raw = await open(createServer({ name: 'dock', version: '1', parts: [] }), { revision: STATELESS });
  expect(await raw.error('skills/list')).toMatchObject({ code: -32601 });
  expect((await raw.result('server/discover'))['capabilities']).not.toHaveProperty('extensions');
});

test('an unlisted skill is found by its URI, and an unknown URI is an error', async () => {
  verifies('SKILL-30');
  write('moor/SKILL.md', head('moor'));
  write('moor/KNOTS.md', 'Bowline');
  write('cast-off/SKILL.md', head('cast-off'));
  const raw = await open(
    await serve({ folders: { '': root }, isListed: ({ frontmatter }) => frontmatter.name === 'moor' }),
    {
      revision: STATELESS,
    },
  );
  expect(entriesIn(await raw.result('skills/list')).map(({ uri }) => uri)).toEqual(['skill://moor/SKILL.md']);
  const found = await raw.result('skills/get', { uri: 'skill://cast-off/SKILL.md' });
  expect(found).toMatchObject({ skill: { frontmatter: { name: 'cast-off' } }, ttlMs: 0, cacheScope: 'private' });
  for (const uri of ['skill://moor/KNOTS.md', 'skill://moor', 'skill://sail/SKILL.md', 'SKILL://moor/SKILL.md']) {
    expect(await raw.error('skills/get', { uri })).toMatchObject({ code: -32602 });
  }
});

test('lists and directories are paginated, with every entry once', async () => {
  verifies('SKILL-27', 'SKILL-40');
  for (const name of ['one', 'two', 'three']) write(`${name}/SKILL.md`, head(name));
  for (const name of ['a', 'b', 'c']) write(`one/refs/${name}.md`, name);
  const raw = await open(await serve(root, 1), { revision: STATELESS });
  const pages = async (method: string, params: JsonObject, member: string): Promise<string[]> => {
    const found: string[] = [];
    let cursor: unknown;
    do {
      const page: JsonObject = await raw.result(method, { ...params, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...(page[member] as { uri: string }[]).map(({ uri }) => uri));
      cursor = page['nextCursor'];
    } while (cursor !== undefined);
    return found;
  };
  expect(await pages('skills/list', {}, 'skills')).toEqual(
    ['one', 'three', 'two'].map((name) => `skill://${name}/SKILL.md`),
  );
  expect(await pages('resources/directory/read', { uri: 'skill://one/refs' }, 'resources')).toEqual(
    ['a', 'b', 'c'].map((name) => `skill://one/refs/${name}.md`),
  );
});

test('a directory lists its direct children, and a file or an unknown URI is an error', async () => {
  verifies('SKILL-3', 'SKILL-40');
  write('moor/SKILL.md', head('moor'));
  write('moor/refs/deep/KNOTS.md', 'Bowline');
  const raw = await open(await serve({ folders: { 'acme/quay': root } }), { revision: STATELESS });
  const children = async (uri: string): Promise<unknown> =>
    (await raw.result('resources/directory/read', { uri }))['resources'];
  expect(await children('skill://acme')).toEqual([
    { uri: 'skill://acme/quay', name: 'quay', mimeType: 'inode/directory' },
  ]);
  expect(await children('skill://acme/quay/moor')).toEqual([
    { uri: 'skill://acme/quay/moor/SKILL.md', name: 'SKILL.md', mimeType: 'text/markdown', size: head('moor').length },
    { uri: 'skill://acme/quay/moor/refs', name: 'refs', mimeType: 'inode/directory' },
  ]);
  expect(await raw.result('resources/directory/read', { uri: 'skill://acme' })).not.toHaveProperty('ttlMs');
  for (const uri of [
    'skill://acme/quay/moor/SKILL.md',
    'skill://acme/quay/moor/',
    'skill://acme/quay/sail',
    'skill://',
  ]) {
    expect(await raw.error('resources/directory/read', { uri })).toMatchObject({ code: -32602 });
  }
});

test('every mistake in a folder of skills is named, all of them in one error', async () => {
  verifies('SKILL-5', 'SKILL-7', 'SKILL-20');
  write('plain/SKILL.md', 'No head at all');
  write('other/SKILL.md', head('another'));
  write('Loud/SKILL.md', head('Loud'));
  write('list/SKILL.md', '---\n- a\n---\n');
  write('twice/SKILL.md', '---\nname: twice\nname: twice\ndescription: d\n---\n');
  write('infinite/SKILL.md', '---\nname: infinite\ndescription: d\nx: .inf\n---\n');
  write('mute/SKILL.md', '---\nname: mute\n---\n');
  write('binary/SKILL.md', new Uint8Array([0x2d, 0xff, 0xfe]));
  write('heavy/SKILL.md', head('heavy'));
  write('heavy/a.bin', new Uint8Array(16_777_216));
  write('many/SKILL.md', head('many'));
  for (let i = 0; i < 512; i++) write(`many/${i}.md`, '');
  const message = await skills(root).then(String, String);
  for (const [folder, why] of [
    ['plain', 'there is no frontmatter'],
    ['other', 'its folder is called "other" and its frontmatter says "another"'],
    ['Loud', '"name" must be 1 to 64 lower-case letters'],
    ['list', 'must be a YAML mapping'],
    ['twice', 'not valid YAML: Map keys must be unique'],
    ['infinite', 'a number that JSON cannot represent'],
    ['mute', '"description" must be'],
    ['binary', 'not valid'],
    ['heavy', 'the limit is 16777216'],
    ['many', 'it has 513 files, and the limit is 512'],
  ]) {
    expect(message).toMatch(new RegExp(`/${folder}: [^\\n]*${why}`));
  }
  await expect(skills(join(root, 'nowhere'))).rejects.toThrow('does not exist');
  mkdirSync(join(root, 'empty'));
  await expect(skills(join(root, 'empty'))).rejects.toThrow('there is no SKILL.md in it or below it');
});

test('hidden files, links and special files are left out with a warning', async () => {
  write('moor/SKILL.md', head('moor'));
  write('moor/.env', 'TOKEN=secret');
  write('secret.txt', 'secret');
  symlinkSync(join(root, 'secret.txt'), join(root, 'moor', 'link.txt'));
  const warnings: string[] = [];
  const server = await serve({ folders: { '': root }, onWarning: (warning) => warnings.push(warning) });
  const raw = await open(server, { revision: STATELESS });
  expect(entriesIn(await raw.result('skills/list')).map(({ resources }) => resources)).toEqual([
    [expect.objectContaining({ uri: 'skill://moor/SKILL.md' })],
  ]);
  for (const uri of ['skill://moor/.env', 'skill://moor/link.txt', 'skill://secret.txt']) {
    expect(await raw.error('resources/read', { uri })).toMatchObject({ code: -32602 });
  }
  expect(warnings.join('\n')).toMatch(
    /\.env is not served: its name begins with a dot\n.*link\.txt is not served: it is a symbolic link/,
  );
});

test('a folder that is itself a skill is served under its own name', async () => {
  write('moor/SKILL.md', head('moor'));
  const raw = await open(await serve(join(root, 'moor')), { revision: STATELESS });
  expect(entriesIn(await raw.result('skills/list')).map(({ uri }) => uri)).toEqual(['skill://moor/SKILL.md']);
});

test('a dynamic skill is generated when it is read, with the frontmatter of its entry', async () => {
  verifies('SKILL-14', 'SKILL-15');
  const report = dynamicSkill({
    path: 'acme/report',
    description: 'Report: the "day"',
    read: (file) => `Made of ${file}`,
  });
  const raw = await open(await serve({ dynamic: [report] }), { revision: STATELESS });
  const [entry] = entriesIn(await raw.result('skills/list'));
  expect(entry).toEqual({
    uri: 'skill://acme/report/SKILL.md',
    frontmatter: { name: 'report', description: 'Report: the "day"' },
    resources: 'dynamic',
  });
  const { contents } = await raw.result('resources/read', { uri: 'skill://acme/report/SKILL.md' });
  expect(contents).toEqual([
    {
      uri: 'skill://acme/report/SKILL.md',
      mimeType: 'text/markdown',
      text: '---\nname: report\ndescription: \'Report: the "day"\'\n---\n\nMade of SKILL.md',
    },
  ]);
  const other = await raw.result('resources/read', { uri: 'skill://acme/report/days/1.md' });
  expect(other).toMatchObject({ contents: [{ text: 'Made of days/1.md' }] });
  await expect(skills({ dynamic: [report, report] })).rejects.toThrow('is served twice');
  expect(() => dynamicSkill({ path: 'Report', description: 'd', read: () => '' })).toThrow('lower-case');
});

test('a value that skills() did not make is rejected', () => {
  expect(() => createServer({ name: 'dock', version: '1', parts: [], skills: { kind: 'skills', names: [] } })).toThrow(
    'make them with skills() of mooring/skills',
  );
});

test('capability settings are directly under the identifier, and results of skills/get and directories are complete', async () => {
  verifies('SKILL-58', 'SKILL-61');
  write('moor/SKILL.md', head('moor'));
  write('moor/references/KNOTS.md', 'Bowline');
  const raw = await open(await serve(), { revision: STATELESS });
  const { capabilities } = await raw.result('server/discover');
  const declared = (capabilities as JsonObject)['extensions'] as JsonObject;
  expect(declared['io.modelcontextprotocol/skills']).toEqual({ directoryRead: true });
  const got = await raw.result('skills/get', { uri: 'skill://moor/SKILL.md' });
  expect(got).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
  expect(got).not.toHaveProperty('nextCursor');
  expect(await raw.result('resources/directory/read', { uri: 'skill://moor' })).toMatchObject({
    resultType: 'complete',
  });
});

test('a dynamic skill is listed as dynamic, and reading an unknown file returns -32602', async () => {
  verifies('SKILL-59', 'SKILL-62');
  write('moor/SKILL.md', head('moor'));
  const dynamic = dynamicSkill({ path: 'daily', description: 'Today', read: () => 'Now' });
  const raw = await open(await serve({ folders: { '': root }, dynamic: [dynamic], onWarning: () => undefined }), {
    revision: STATELESS,
  });
  const listed = entriesIn(await raw.result('skills/list'));
  expect(listed.find(({ uri }) => uri === 'skill://daily/SKILL.md')?.resources).toBe('dynamic');
  const missing = await raw.request('resources/read', { uri: 'skill://moor/NONE.md' });
  expect(missing).toMatchObject({ error: { code: -32602 } });
});

test('unknown metadata under the reserved prefix is passed on and rejects nothing', async () => {
  verifies('SKILL-56');
  const more = 'metadata:\n  io.modelcontextprotocol/future: 1\n';
  write('moor/SKILL.md', head('moor', more));
  const raw = await open(await serve(), { revision: STATELESS });
  const [entry] = entriesIn(await raw.result('skills/list'));
  expect(entry?.frontmatter['metadata']).toEqual({ 'io.modelcontextprotocol/future': 1 });
  expect(skillEntryFault(entry)).toBeUndefined();
});

test('segments that are not valid in a URI are encoded', async () => {
  verifies('SKILL-8');
  write('a b/moor/SKILL.md', head('moor'));
  const raw = await open(await serve({ folders: { 'acme ö': root }, onWarning: () => undefined }), {
    revision: STATELESS,
  });
  const [entry] = entriesIn(await raw.result('skills/list'));
  expect(entry?.uri).toBe('skill://acme%20%C3%B6/a%20b/moor/SKILL.md');
});
