/** Which files of a skill can be read, and how they are verified. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SkillSource } from './list-skills.ts';
import { MAX_SKILL_BYTES, type SkillEntry } from './skill-entry.ts';
import { skillPathOf } from './skill-uri.ts';
import { fetchSkillFile, skillFile, skillText, verifySkillFile } from './verify-skill.ts';

const uri = 'skill://team/greet/SKILL.md';
const frontmatter = { name: 'greet', description: 'Greets' };
const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const file = (path: string, text = '') => ({
  uri: `skill://team/greet/${path}`,
  digest: digestOf(bytes(text)),
  size: text.length,
});
const listed: SkillEntry = { uri, frontmatter, resources: [file('SKILL.md'), file('a%20b.txt'), file('c d.txt')] };
const dynamic: SkillEntry = { uri, frontmatter, resources: 'dynamic' };

test('skillFile() finds a listed file by its path, also if the entry has encoded segments', () => {
  expect(skillFile(listed, 'a b.txt').uri).toBe('skill://team/greet/a%20b.txt');
  expect(skillFile(listed, 'c d.txt').uri).toBe('skill://team/greet/c d.txt');
  for (const path of ['other.txt', '../greet/SKILL.md', '']) {
    const rejected = expect.stringContaining(`skill://team/greet/${path}`);
    expect(() => skillFile(listed, path)).toThrow(expect.objectContaining({ message: rejected }));
  }
});

test('skillFile() allows any file inside the folder of a dynamic skill, and none outside', () => {
  expect(skillFile(dynamic, 'made/up now.txt')).toEqual({ uri: 'skill://team/greet/made/up%20now.txt' });
  for (const path of ['..', '../other/SKILL.md', 'a/../../b', './a', 'a/./b'])
    expect(() => skillFile(dynamic, path)).toThrow('not among the files');
});

test.each([
  [{ contents: [{ uri: 'skill://a/x', text: 'hi' }] }, 'hi'],
  [{ contents: [{ uri: 'skill://a/x', blob: 'aGk=' }] }, 'hi'],
  [{ contents: [{ uri: 'skill://a/y', text: 'no' }, 7, { uri: 'skill://a/x', text: 'hi' }] }, 'hi'],
  [{ contents: [{ uri: 'skill://a/y', text: 'hi' }] }, undefined],
  [{ contents: [{ uri: 'skill://a/x' }] }, undefined],
  [{ contents: [] }, undefined],
  [{ contents: 'hi' }, undefined],
  [{}, undefined],
])('fetchSkillFile() uses only content with the requested URI: %j', async (result, text) => {
  const client = { request: async () => result } as unknown as SkillSource;
  const found = fetchSkillFile(client, 'skill://a/x');
  if (text === undefined) await expect(found).rejects.toThrow('sent no content');
  else expect(new TextDecoder().decode(await found)).toBe(text);
});

test('bytes of another length or another digest are rejected', async () => {
  const one = file('a.txt', 'hello');
  await verifySkillFile(one, bytes('hello'));
  await expect(verifySkillFile(one, bytes('hello!'))).rejects.toThrow('it has 6 bytes, and 5 were listed');
  await expect(verifySkillFile(one, bytes('hellO'))).rejects.toThrow('does not match its listed digest');
  await expect(verifySkillFile({ uri: one.uri, size: 5 }, bytes('hello'))).rejects.toThrow(
    'does not match its listed digest',
  );
});

test('a file of a dynamic skill can be as large as the limit of a whole skill', async () => {
  await verifySkillFile({ uri }, new Uint8Array(MAX_SKILL_BYTES));
  await expect(verifySkillFile({ uri }, new Uint8Array(MAX_SKILL_BYTES + 1))).rejects.toThrow('more than');
});

test('a SKILL.md must have exactly the frontmatter of its entry', async () => {
  const text = '---\nname: greet\ndescription: Greets\n---\nHello';
  expect(await skillText(listed, bytes(text))).toBe(text);
  await expect(skillText(listed, new Uint8Array([0xff, 0xfe]))).rejects.toThrow('not UTF-8');
  await expect(skillText(listed, bytes('Hello'))).rejects.toThrow(uri);
  await expect(skillText(listed, bytes(text.replace('Greets', 'Deletes')))).rejects.toThrow('entry: description');
  await expect(skillText(listed, bytes(text.replace('---\nH', 'license: null\n---\nH')))).rejects.toThrow('license');
  const more = { ...listed, frontmatter: { ...frontmatter, license: 'MIT' } };
  await expect(skillText(more, bytes(text))).rejects.toThrow('entry: license');
  const nested = { ...listed, frontmatter: { ...frontmatter, metadata: { runs: 'nothing' } } };
  const deep = (runs: string): string => text.replace('---\nH', `metadata:\n  runs: ${runs}\n---\nH`);
  expect(await skillText(nested, bytes(deep('nothing')))).toBe(deep('nothing'));
  await expect(skillText(nested, bytes(deep('everything')))).rejects.toThrow('entry: metadata');
});

test('a skill is named after the folder of its SKILL.md, also where that is encoded wrongly', () => {
  expect(skillPathOf(uri)).toEqual({ folder: 'skill://team/greet/', name: 'greet' });
  expect(skillPathOf('skill://a%20b/SKILL.md')?.name).toBe('a b');
  expect(skillPathOf('skill://a%zz/SKILL.md')?.name).toBe('a%zz');
  for (const other of ['skill://SKILL.md', 'skill://a/skill.md', 'skill://a/SKILL.md?x', 'a/SKILL.md', 'skill://a/b/'])
    expect(skillPathOf(other)).toBeUndefined();
});

test('a SKILL.md whose frontmatter has a million keys is rejected before they are read', async () => {
  const keys = Array.from({ length: 1_000_000 }, (_, at) => `k${at}: 1`).join('\n');
  const text = `---\nname: greet\ndescription: Greets\n${keys}\n---\n`;
  await expect(skillText(listed, bytes(text))).rejects.toThrow('the frontmatter has more than 65536 characters');
});
