import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../peer/clock.ts';
import { TurnWrites } from './turn-writes.ts';

/** Records the order of writes, on a clock that the test sets. */
function observed() {
  const written: string[] = [];
  const sockets = new Map<string, Socket>();
  let now = 0;
  const writes = new TurnWrites({ ...systemClock, now: () => now });
  return {
    written,
    add: (name: string, connection: string) => {
      const socket = sockets.get(connection) ?? new Socket();
      sockets.set(connection, socket);
      const response = { socket, destroy: () => expect.unreachable() };
      if (!writes.tryDefer({ response, flush: () => written.push(name) })) written.push(name);
    },
    setTime: (ms: number) => {
      now = ms;
    },
  };
}

test('responses to several connections are written in order at the end of the turn', async () => {
  const { written, add } = observed();
  for (const name of ['a', 'b', 'c']) add(name, name);
  expect(written).toEqual([]);
  await nextTurn();
  expect(written).toEqual(['a', 'b', 'c']);
  add('d', 'd');
  await nextTurn();
  expect(written).toEqual(['a', 'b', 'c', 'd']);
});

test('a client with sequential calls gets its responses at once', async () => {
  const { written, add } = observed();
  add('first', 'one');
  await nextTurn();
  add('second', 'one');
  expect(written).toEqual(['first', 'second']);
});

test('a response is never written before a deferred one', async () => {
  const { written, add } = observed();
  add('a', 'one');
  add('b', 'one');
  expect(written).toEqual([]);
  await nextTurn();
  expect(written).toEqual(['a', 'b']);
});

test('deferred responses are written early if a handler computes for more than a millisecond', async () => {
  const { written, add, setTime } = observed();
  add('a', 'one');
  setTime(1);
  add('b', 'two');
  expect(written).toEqual([]);
  setTime(1.1);
  add('c', 'three');
  expect(written).toEqual(['a', 'b', 'c']);
  add('d', 'four');
  await nextTurn();
  expect(written).toEqual(['a', 'b', 'c', 'd']);
});

test.each<[string, unknown, unknown]>([
  ['an error', new Error('broken'), new Error('broken')],
  ['something else', 'broken', undefined],
])(
  'a response whose write throws %s is destroyed, and the following ones are written',
  async (_what, thrown, reason) => {
    const [destroyed, written]: [unknown[], string[]] = [[], []];
    const writes = new TurnWrites(systemClock);
    const failing = { socket: new Socket(), destroy: (error?: Error) => destroyed.push(error) as never }; // not used
    const fine = { socket: new Socket(), destroy: () => expect.unreachable() };
    writes.tryDefer({
      response: failing,
      flush: () => {
        throw thrown;
      },
    });
    writes.tryDefer({ response: fine, flush: () => void written.push('second') });
    await nextTurn();
    expect([destroyed, written]).toEqual([[reason], ['second']]);
  },
);
