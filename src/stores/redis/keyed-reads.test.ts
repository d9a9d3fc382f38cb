/** keyedReads(): batching of reads into commands, and distribution of the replies. */
import { expect, test } from 'vitest';
import { soon } from '../../../test/support/soon.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { KeyedValues } from '../backend.ts';
import { keyedReads } from './keyed-reads.ts';

type Reply = (command: readonly string[]) => unknown;

/** Replies like Redis, with a value for every key but `none`. */
const hashOf = (key: string): unknown[] => (key === 'none' ? [null, null, null] : [`v-${key}`, `d-${key}`, null]);
const replyOf: Reply = ([name, ...rest]) =>
  name === 'HMGET' ? hashOf(rest[0] ?? '') : rest.slice(2, 2 + Number(rest[1])).map(hashOf);

/** A reader, and the commands that it sent. */
function reading(reply: Reply = replyOf, isCluster = false): { get: KeyedValues['get']; sent: string[][] } {
  const sent: string[][] = [];
  const send = async (command: string[]): Promise<unknown> => {
    sent.push(command);
    return reply(command);
  };
  return { get: keyedReads(send, isCluster), sent };
}

const names = (sent: readonly string[][]): (string | undefined)[] => sent.map(([name]) => name);
const entry = (key: string): object => ({ value: `d-${key}`, version: `v-${key}` });
const keys = (count: number): string[] => Array.from({ length: count }, (_, i) => `k${i}`);

test('concurrent reads are one command, and each gets its own value', async () => {
  const { get, sent } = reading();
  const all = await Promise.all(['a', 'none', 'b', 'a'].map((key) => get(key)));
  expect(all).toEqual([entry('a'), undefined, entry('b'), entry('a')]);
  expect(sent).toEqual([['EVALSHA', expect.any(String), '4', 'a', 'none', 'b', 'a', ';;;']]);
});

test('later reads are another command, which does not wait for the first', async () => {
  const { get, sent } = reading(() => new Promise(() => undefined));
  void get('a');
  await soon(() => expect(sent).toHaveLength(1));
  void get('b');
  await soon(() => expect(sent).toHaveLength(2));
  expect(sent.map(([name, key]) => [name, key])).toEqual([
    ['HMGET', 'a'],
    ['HMGET', 'b'],
  ]);
});

test('reads of two event-loop turns are one command', async () => {
  const { get, sent } = reading();
  const first = get('a');
  await nextTurn();
  expect(await Promise.all([first, get('b')])).toEqual([entry('a'), entry('b')]);
  expect(names(sent)).toEqual(['EVALSHA']);
});

test.each([1, '1'])('if no entry has changed (reply %j), the known entries are returned', async (same) => {
  const { get, sent } = reading(() => same);
  const [a, b] = [
    { value: 'a', version: 'v1', mark: 'm' },
    { value: 'b', version: 'v2' },
  ] as const;
  const all = await Promise.all([get('a', a), get('b', b)]);
  expect(all[0]).toBe(a);
  expect(all[1]).toBe(b);
  expect(sent[0]?.slice(3)).toEqual(['a', 'b', 'v1 m;v2 ']);
});

test('if one entry has changed, all are read', async () => {
  const known = { value: 'as before', version: 'v1', mark: 'm' };
  const { get } = reading(() => [
    ['v1', 'as before', 'm'],
    ['v1', 'as before', 'm2'],
    ['v1', 'as before', null],
    ['v2', 'd2', 'm'],
    ['v2', 'd2', null],
    [null, null, null],
  ]);
  expect(await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => get(key, known)))).toEqual([
    known,
    { ...known, mark: 'm2' },
    { value: 'as before', version: 'v1' },
    { value: 'd2', version: 'v2', mark: 'm' },
    { value: 'd2', version: 'v2' },
    undefined,
  ]);
});

test('the reply "unchanged" is an error for an entry that is not known', async () => {
  const { get } = reading(() => 1);
  const known = { value: 'as before', version: 'v1' };
  const [first, second] = await Promise.allSettled([get('a', known), get('b')]);
  expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
});

test.each([
  ['fewer keys', [['v', 'd', null]]],
  [
    'more keys',
    [
      ['v', 'd', null],
      ['v', 'd', null],
      ['v', 'd', null],
    ],
  ],
  ['nothing of a key', [['v', 'd', null], null]],
  ['a number of a key', [['v', 'd', null], 1]],
  [
    'a version without its value',
    [
      ['v', 'd', null],
      ['v', null, 'm'],
    ],
  ],
  [
    'a part of an entry',
    [
      ['v', 'd', null],
      ['v', 'd'],
    ],
  ],
])('a reply with %s is an error, and not the end of a session', async (_, reply) => {
  const { get } = reading(() => reply);
  const both = await Promise.allSettled([get('a'), get('b')]);
  expect(both.at(-1)?.status).toBe('rejected');
});

test('a command reads 64 keys at most', async () => {
  const { get, sent } = reading();
  const all = await Promise.all(keys(129).map((key) => get(key)));
  expect(all).toEqual(keys(129).map(entry));
  const counts = sent.map((command) => (command[0] === 'HMGET' ? 1 : Number(command[2])));
  expect(counts.toSorted((a, b) => a - b)).toEqual([1, 64, 64]);
});

test('in a cluster, each read is a separate command', async () => {
  const { get, sent } = reading(replyOf, true);
  expect(await Promise.all([get('a'), get('none')])).toEqual([entry('a'), undefined]);
  expect(names(sent)).toEqual(['HMGET', 'HMGET']);
});

test('a cluster without isCluster is detected once', async () => {
  const { get, sent } = reading((command) => {
    if (command[0] === 'HMGET') return replyOf(command);
    throw new Error("CROSSSLOT Keys in request don't hash to the same slot");
  });
  for (let i = 0; i < 2; i++) expect(await Promise.all([get('a'), get('b')])).toEqual([entry('a'), entry('b')]);
  expect(names(sent)).toEqual(['EVALSHA', 'HMGET', 'HMGET', 'HMGET', 'HMGET']);
});

test('when a command fails, all of its reads fail, and those of the next turn do not', async () => {
  let isAway = true;
  const { get } = reading((command) => {
    if (isAway) throw new Error('away');
    return replyOf(command);
  });
  const results = await Promise.allSettled([get('a'), get('b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(get('a')).rejects.toThrow('away');
  isAway = false;
  expect(await Promise.all([get('a'), get('b')])).toEqual([entry('a'), entry('b')]);
});

test('at most 1,000 reads are pending, and more are accepted after their replies', async () => {
  const { get } = reading();
  for (let i = 0; i < 2; i++) {
    const waiting = keys(1_000).map((key) => get(key));
    await expect(get('a')).rejects.toThrow('1000 commands wait for a reply');
    expect(await Promise.all(waiting)).toEqual(keys(1_000).map(entry));
  }
});
