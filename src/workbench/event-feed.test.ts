import { expect, test } from 'vitest';
import { EventFeed } from './event-feed.ts';

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

test('a page that names no event of an empty feed has missed nothing, and one that names an impossible event has', () => {
  expect(reader(new EventFeed('p'), 0).heard).toEqual([]);
  expect(reader(new EventFeed('p'), -1).heard).toMatchObject([{ method: 'reload' }]);
});

const MIB: number = 1024 * 1024;
/** The length of an event beside the name of its server. */
const FRAME = 'id: 1\ndata: {"jsonrpc":"2.0","method":"catalogue","params":{"server":""}}\n\n'.length;

test.each([
  [0, ['a', 'b']],
  [1, [undefined]],
])('events of 1 Mi characters in total are kept, and with %i more the oldest is not', (more, expected) => {
  const feed = new EventFeed('p');
  const half = MIB / 2 - FRAME;
  change(feed, 'a'.repeat(half));
  change(feed, 'b'.repeat(half + more));
  expect(reader(feed, 0).heard.map(({ params }) => (params['server'] as string | undefined)?.slice(0, 1))).toEqual(
    expected,
  );
});

test('an event over 1 Mi characters is replaced by "reload", with which a page has missed nothing', () => {
  const feed = new EventFeed('p');
  const { heard } = reader(feed, undefined);
  for (const more of [1, 0]) change(feed, 'x'.repeat(MIB - FRAME + more));
  expect(heard.map(({ id, method }) => [id, method])).toEqual([
    [2, 'reload'],
    [3, 'catalogue'],
  ]);
  expect(heard[0]?.params).toEqual({ process: 'p', missed: false });
});
