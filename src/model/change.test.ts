/** Which changes a server can notify of, and which ones a client subscribed to. */
import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { type Change, canNotify, filterCovers, grantedFilter } from './change.ts';

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['a:b'],
};
const full = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
};
const news: Change[] = [
  { kind: 'tools' },
  { kind: 'prompts' },
  { kind: 'resources' },
  { kind: 'resource', uri: 'a:b' },
];

test('grantedFilter() keeps what the server supports', () => {
  verifies('SUBS-006', 'RES-2');
  expect(grantedFilter(everything, full)).toEqual(everything);
  expect(grantedFilter(everything, {})).toEqual({});
  expect(grantedFilter(everything, { tools: {}, prompts: {}, resources: {} })).toEqual({});
  expect(grantedFilter(everything, { resources: { subscribe: true } })).toEqual({ resourceSubscriptions: ['a:b'] });
  expect(grantedFilter(everything, { resources: { listChanged: true } })).toEqual({ resourcesListChanged: true });
});

test('grantedFilter() grants only what the client asked for', () => {
  verifies('SUBS-001');
  expect(grantedFilter({}, full)).toEqual({});
  expect(grantedFilter({ toolsListChanged: false, resourceSubscriptions: [] }, full)).toEqual({
    resourceSubscriptions: [],
  });
});

test('filterCovers() has a flag for each kind of change', () => {
  verifies('SUBS-001');
  const wanted = (filter: Parameters<typeof filterCovers>[0]): boolean[] =>
    news.map((one) => filterCovers(filter, one));
  expect(wanted({})).toEqual([false, false, false, false]);
  expect(wanted(everything)).toEqual([true, true, true, true]);
  expect(wanted({ toolsListChanged: true })).toEqual([true, false, false, false]);
  expect(wanted({ promptsListChanged: true })).toEqual([false, true, false, false]);
  expect(wanted({ resourcesListChanged: true })).toEqual([false, false, true, false]);
  expect(wanted({ resourceSubscriptions: ['a:c', 'a:b'] })).toEqual([false, false, false, true]);
  expect(wanted({ resourceSubscriptions: ['a:'] })).toEqual([false, false, false, false]);
});

test('canNotify() is true for the changes that a server declared', () => {
  expect(news.map((one) => canNotify(full, one))).toEqual([true, true, true, true]);
  expect(news.map((one) => canNotify({ logging: {} }, one))).toEqual([false, false, false, false]);
  expect(news.map((one) => canNotify({ resources: { listChanged: true } }, one))).toEqual([false, false, true, false]);
});
