import { expect, test } from 'vitest';
import { EventFeed, MAX_PAGE_MESSAGE } from './event-feed.ts';

interface Heard {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A page that reads the feed from `since` on. */
function reader(feed: EventFeed, since: number | undefined) {
  const heard: Heard[] = [];
  const write = (text: string): void => {
    const [, id = '', data = ''] = /^id: (\d+)\ndata: (.*)\n\n$/.exec(text) ?? [];
    heard.push({ id: Number(id), ...(JSON.parse(data) as Omit<Heard, 'id'>) });
  };
  return { heard, stop: feed.read({ write }, since) };
}
const change = (feed: EventFeed, server: string): void => feed.emit('catalogue', { server });
const serversOf = (heard: readonly Heard[]): unknown[] => heard.map(({ params }) => params['server']);

test('the event feed sends no events after "end", so that pages keep displaying servers that close during shutdown', () => {
  const feed = new EventFeed('p');
  const { heard } = reader(feed, undefined);
  change(feed, 'shop');
  feed.emit('end', { why: 'Ctrl-C' });
  change(feed, 'files');
  expect(heard.map(({ method }) => method)).toEqual(['catalogue', 'end']);
});

test('a page gets the events after the one that it names, then new ones, until it leaves', () => {
  const feed = new EventFeed('p');
  for (const server of ['a', 'b', 'c']) change(feed, server);
  const [all, some, none] = [reader(feed, 0), reader(feed, 2), reader(feed, undefined)];
  expect([feed.lastId, feed.readers]).toEqual([3, 3]);
  some.stop();
  change(feed, 'd');
  expect([all, some, none].map(({ heard }) => serversOf(heard))).toEqual([['a', 'b', 'c', 'd'], ['c'], ['d']]);
  expect(all.heard.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect(feed.readers).toBe(2);
});

test('a page that names an event of the future, or one that is no longer kept, has missed events', () => {
  const feed = new EventFeed('p');
  const reload = [{ id: 2_001, method: 'reload', params: { process: 'p', missed: true } }];
  for (let at = 1; at <= 2_001; at++) change(feed, String(at));
  const since = (id: number): unknown[] =>
    reader(feed, id).heard.map(({ id, method, params }) => ({ id, method, params }));
  expect(since(2_002)).toEqual(reload);
  expect(since(0)).toEqual(reload);
  // The first of 2,000 kept events is the second one.
  expect(serversOf(reader(feed, 1).heard)).toHaveLength(2_000);
  expect(since(2_001)).toEqual([]);
});

test('kept events have a total length of at most 1 Mi characters', () => {
  const feed = new EventFeed('p');
  const text = 'x'.repeat(100_000);
  for (let at = 1; at <= 20; at++) change(feed, `${at} ${text}`);
  expect(reader(feed, 9).heard[0]?.method).toBe('reload');
  expect(serversOf(reader(feed, 10).heard)).toHaveLength(10);
});

test('an event over 1 Mi characters is replaced by "reload", with which a page has missed nothing', () => {
  const feed = new EventFeed('p');
  const { heard } = reader(feed, undefined);
  change(feed, 'x'.repeat(MAX_PAGE_MESSAGE));
  change(feed, 'shop');
  expect(heard.map(({ id, method }) => [id, method])).toEqual([
    [2, 'reload'],
    [3, 'catalogue'],
  ]);
  expect(heard[0]?.params).toEqual({ process: 'p', missed: false });
});
