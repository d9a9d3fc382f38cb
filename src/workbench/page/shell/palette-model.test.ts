import { expect, test } from 'vitest';
import { rankCommands } from './palette-model.ts';

const template = { group: 'Resources', title: 'book', detail: 'library://{shelf}/{book}' };
const message = { group: 'Messages', title: '#7 completion/complete library://{shelf}/{book}' };
const found = (query: string, ...all: readonly (typeof template | typeof message)[]): string[] =>
  rankCommands(all, query).map(({ item }) => item.title);

test('the palette ranks a resource before a message that mentions it in its title', () => {
  expect(found('library://', template, message)).toEqual([template.title, message.title]);
  expect(found('library://', message)).toEqual([message.title]);
});

test('the palette ranks an equal title first, then a word prefix, a substring, and initials', () => {
  const titles = ['b-o-o-k', 'notebook', 'a book', 'book'];
  const all = titles.map((title) => ({ group: 'Resources', title }));
  expect(rankCommands(all, 'book').map(({ item }) => item.title)).toEqual(titles.toReversed());
});

test('the palette finds titles by the beginnings of their words, and by no other letters', () => {
  const titles = ['Open the view', 'sales.orders_of', 'Run checks on forms'];
  const all = titles.map((title) => ({ group: 'Commands', title }));
  const found = (query: string): string[] => rankCommands(all, query).map(({ item }) => item.title);
  expect([found('opview'), found('otv'), found('rcf')]).toEqual([[titles[0]], [titles[0]], [titles[2]]]);
  expect([found('ref'), found('rechecks'), found('pen')]).toEqual([[], [], [titles[0]]]);
});
