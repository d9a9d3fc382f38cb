import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { fileInbox } from './file-inbox.ts';
import type { InboxQuestion, InboxStore } from './inbox-consent.ts';

async function made(): Promise<{ readonly path: string; readonly store: InboxStore }> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-inbox-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'inbox');
  return { path, store: fileInbox(path) };
}

const questionOf = (id: string): InboxQuestion => ({
  ...{ id, binding: 'b', why: 'no rule matches', act: act(), warnings: [], editable: false },
  ...{ askedAt: 1, expiresAt: 2 },
});

test('a question is answered once and its answer taken once, and no file is left', async () => {
  const { path, store } = await made();
  const [one, two] = [questionOf('one'), questionOf('two')];
  await store.put(one);
  await store.put(two);
  expect(await store.take('one')).toBeUndefined();
  expect(await store.answer('one', { allow: true })).toBe(true);
  expect(await store.answer('one', { allow: false })).toBe(false);
  expect(await store.answer('three', { allow: true })).toBe(false);
  expect(await readdir(path), 'two questions and the answer that counts').toHaveLength(3);
  expect(await store.questions()).toEqual([
    { ...two, answered: false },
    { ...one, answered: true },
  ]);
  expect(await store.take('two')).toBeUndefined();
  expect(await store.take('on'), 'no id of a question').toBeUndefined();
  expect(await store.take('one')).toEqual({ allow: true });
  expect(await store.take('one')).toBeUndefined();
  expect(await readdir(path)).toEqual(['two.question.json']);
});

test('a question that is too large to be read is not put, and the others stay', async () => {
  const { path, store } = await made();
  await store.put(questionOf('one'));
  const large = { ...questionOf('two'), why: 'x'.repeat(16 * 1024 * 1024) };
  await expect(store.put(large)).rejects.toThrow('a record would be larger than 16777216 bytes');
  expect(await store.questions()).toEqual([{ ...questionOf('one'), answered: false }]);
  expect(await readdir(path)).toEqual(['one.question.json']);
});

test('a question that is removed takes its answer with it, and no other question', async () => {
  const { path, store } = await made();
  for (const id of ['one', 'two', 'three']) await store.put(questionOf(id));
  await store.answer('one', { allow: true });
  await store.answer('three', { allow: true });
  await store.remove('one');
  await store.remove('two');
  await store.remove('four');
  expect(await store.questions()).toMatchObject([{ id: 'three', answered: true }]);
  expect(await readdir(path)).toHaveLength(2);
  expect(await store.take('three')).toEqual({ allow: true });
});

test('a question that is answered while the folder is read is listed once, as answered', async () => {
  const { path, store } = await made();
  await store.put(questionOf('one'));
  await copyFile(join(path, 'one.question.json'), join(path, 'one_draft.answered.json'));
  expect(await store.questions()).toEqual([{ ...questionOf('one'), answered: true }]);
});

test.each<Record<string, unknown>>([
  { id: 'two' },
  { binding: undefined },
  { why: 7 },
  { act: 'refund' },
  { act: null },
  { act: {} },
  { act: { arguments: [] } },
  { warnings: 'none' },
  { askedAt: '1' },
  { expiresAt: null },
])('a record with %j is not listed as a question', async (changes) => {
  const { path, store } = await made();
  await store.put(questionOf('one'));
  expect(await store.questions()).toHaveLength(1);
  await writeFile(join(path, 'one.question.json'), JSON.stringify({ ...questionOf('one'), ...changes }));
  expect(await store.questions()).toEqual([]);
});

test.each(['', 'null', '[]', '7'])('a file that contains %j is not listed as a question', async (text) => {
  const { path, store } = await made();
  await store.put(questionOf('one'));
  await writeFile(join(path, 'one.question.json'), text);
  expect(await store.questions()).toEqual([]);
});

test('the key of a folder is persistent', async () => {
  const { path, store } = await made();
  const key = await store.key?.();
  expect(key).toHaveLength(32);
  expect(await fileInbox(path).key?.()).toEqual(key);
});

test.each(['', '[]', 'true', '"yes"'])('an answer that contains %j allows nothing', async (text) => {
  const { path, store } = await made();
  await store.put(questionOf('one'));
  await store.answer('one', { allow: true });
  const [draft = ''] = (await readdir(path)).filter((file) => file.endsWith('.draft.json'));
  await writeFile(join(path, draft), text);
  expect(await store.take('one')).toEqual({ allow: false });
});

test('fileInbox() throws unless it gets the path of a folder', () => {
  for (const folder of ['', 7, undefined]) expect(() => fileInbox(folder as string)).toThrow('the path of a folder'); // JavaScript callers can pass anything
});
