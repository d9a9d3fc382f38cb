/** `mooring skills`: lists skills, prints their files, and verifies the files against the listing. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { entryOf } from '../../../test/support/skill-harbour.ts';

const shop = 'test/fixtures/cli/skills.ts';

test('skills list prints URIs and descriptions, and reads no file', async () => {
  const { code, stdout } = await mooring(['skills', 'list', shop]);
  expect([code, stdout]).toEqual([
    0,
    [
      'skill://refunds/SKILL.md   How this shop refunds an order. Use it when a customer wants money back.',
      'skill://shipping/SKILL.md  How this shop ships an order, and what a customer is told on the way.',
      '',
    ].join('\n'),
  ]);
  const asJson = await mooring(['skills', 'list', shop, '--json']);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    skills: [
      { uri: 'skill://refunds/SKILL.md', name: 'refunds', status: 'new', files: 2 },
      { uri: 'skill://shipping/SKILL.md', name: 'shipping', status: 'new', files: 1 },
    ],
  });
  const narrow = await mooring(['skills', 'list', shop], { tty: true, columns: 40 });
  for (const line of narrow.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
});

test('skills list says why a module cannot be served, as list does', async () => {
  await using at = await folder();
  await writeFile(join(at.path, 'empty.mjs'), 'export {};');
  const said = 'error ./empty.mjs: expected a server made with Mooring, but it exports nothing; write';
  for (const command of [['skills', 'list'], ['list']]) {
    const { code, stderr } = await mooring([...command, './empty.mjs'], { cwd: at.path });
    expect([code, stderr.slice(0, said.length)]).toEqual([2, said]);
  }
});

test('skills show prints a verified file, by name or URI', async () => {
  const byName = await mooring(['skills', 'show', shop, 'refunds']);
  expect(byName).toMatchObject({ code: 0, stderr: expect.stringContaining('Files: SKILL.md, references/FORMS.md') });
  expect(byName.stdout).toMatch(/^---\nname: refunds\n[\s\S]*five working days\.\n$/);
  const file = await mooring(['skills', 'show', shop, 'skill://refunds/SKILL.md', 'references/FORMS.md']);
  expect([file.code, file.stdout.split('\n')[0]]).toEqual([0, '# Forms']);
});

test('skills check passes a server whose files are as listed', async () => {
  const { code, stdout } = await mooring(['skills', 'check', shop]);
  expect([code, stdout]).toEqual([
    0,
    'ok  skill://refunds/SKILL.md  2 files\nok  skill://shipping/SKILL.md  1 file\nAll checks passed.\n',
  ]);
});

const MAIN = '---\nname: refunds\ndescription: How\n---\n\nDo it.\n';
const main = entryOf('skill://refunds', { 'SKILL.md': MAIN });

/** A stdio server with exactly these responses. */
async function liar(path: string, skills: readonly unknown[], text = MAIN): Promise<readonly string[]> {
  const script = join(path, 'liar.mjs');
  const answers = {
    'server/discover': {
      supportedVersions: ['2026-07-28'],
      capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
    },
    'skills/list': { skills },
    'skills/get': { skill: skills[0] },
    'tools/list': { tools: [] },
  };
  await writeFile(
    script,
    `import { createInterface } from 'node:readline';
const answers = ${JSON.stringify(answers)};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = method === 'resources/read' ? { contents: [{ uri: params.uri, text: ${JSON.stringify(text)} }] } : answers[method];
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined
    ? { error: { code: -32601, message: 'No' } }
    : { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } }) }));
}`,
  );
  return ['--', process.execPath, script];
}

test('skills check and show find what differs from the listing, and nothing of it drives the terminal', async () => {
  await using dir = await folder();
  const tampered = await liar(dir.path, [main, { uri: 'skill://\u001b[2J/SKILL.md' }], `${MAIN}\u001b[2J`);
  const checked = await mooring(['skills', 'check', ...tampered]);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('failed  skill://refunds/SKILL.md  1 file');
  expect(checked.stdout).toContain(`it has ${MAIN.length + 4} bytes, and ${MAIN.length} were listed`);
  expect(checked.stdout).toContain('A skill is left out of the list: "uri" must be the URI of a SKILL.md');
  expect(checked.stdout).toContain('2 problems found.');
  expect(checked.stdout).not.toContain('\u001b[2J');
  const asJson = await mooring(['skills', 'check', '--json', ...tampered]);
  expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([1, { skills: [{ problem: expect.any(String) }] }]);
  expect((await mooring(['skills', 'show', 'refunds', ...tampered])).code).toBe(5);
  const none = await mooring(['skills', 'check', ...(await liar(dir.path, []))]);
  expect([none.code, none.stdout]).toEqual([1, 'failed  The server lists no skills\n1 problem found.\n']);
  const same = await liar(dir.path, [main, entryOf('skill://a/refunds', { 'SKILL.md': MAIN })]);
  expect(await mooring(['skills', 'show', 'refunds', ...same])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'several skills have this name; use one of the URIs skill://refunds/SKILL.md, skill://a',
    ),
  });
});

test.each([
  [['skills', 'show', shop], '<skill>: expected the name of a skill'],
  [['skills', 'show', shop, 'refnds'], 'did you mean refunds?'],
  [['skills', 'list'], '<target>: expected a URL'],
])('%j is an error of usage', async (words, why) => {
  expect(await mooring(words)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
});

test('skills are approved in the lock file, and a changed one is found by lock check', async () => {
  await using dir = await folder();
  const options = { cwd: dir.path };
  const approved = await mooring(['lock', 'approve', '--yes', ...(await liar(dir.path, [main]))], options);
  expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('skill skill://refunds/SKILL.md')]);
  const other = entryOf('skill://refunds', { 'SKILL.md': `${MAIN}More.\n` });
  const checked = await mooring(['lock', 'check', ...(await liar(dir.path, [other]))], options);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(
    /changed {2}skill skill:\/\/refunds\/SKILL\.md\n +its files\["SKILL\.md"\] changed from/,
  );
});

test('lock approve approves a single skill by its URI', async () => {
  await using dir = await folder();
  const other = entryOf('skill://shipping', { 'SKILL.md': MAIN.replace('refunds', 'shipping') });
  const words = ['lock', 'approve', main.uri, '--yes', ...(await liar(dir.path, [main, other]))];
  expect(await mooring(words, { cwd: dir.path })).toMatchObject({
    code: 0,
    stdout: `Approved in ${join(dir.path, 'mcp.lock')}: skill ${main.uri}\n`,
  });
});

test('skills waits no longer for a server than --timeout says', async () => {
  const silent = ['--', process.execPath, '-e', 'process.stdin.resume()'];
  const { code, stderr } = await mooring(['skills', 'list', '--timeout', '0.2', ...silent]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('200 ms')]);
});
