import { expect, test } from 'vitest';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { memoryEventLog } from './memory-event-log.ts';

test('the memory event log returns the events after a number, in order', () => {
  const log = memoryEventLog();
  for (let seq = 1; seq <= 3; seq++) void log.append('a', { seq, data: `${seq}` });
  void log.append('b', { seq: 1, data: 'other' });
  expect(log.read('a', 1)).toEqual([
    { seq: 2, data: '2' },
    { seq: 3, data: '3' },
  ]);
  expect(log.read('a', 3)).toEqual([]);
  expect(log.read('a', 0)).toHaveLength(3);
});

test('the memory event log returns every event unchanged, packed or not', () => {
  const log = memoryEventLog();
  const events = Array.from({ length: 250 }, (_, i) => ({ seq: i + 1, data: i % 7 === 0 ? '' : `{"é":"${i}\\n"}` }));
  for (const event of events) {
    void log.append('a', event);
    if (event.seq % 50 > 1) continue;
    for (const after of [0, event.seq - 1, event.seq, event.seq + 1])
      expect(log.read('a', after)).toEqual(events.slice(after, event.seq));
  }
  const last = { seq: 251, data: 'x'.repeat(100_000), last: true };
  void log.append('a', last);
  expect(log.read('a', 99)).toEqual([...events.slice(99), last]);
  expect(log.read('a', 251)).toEqual([]);
});

test('a gap makes the events before it unavailable', () => {
  const log = memoryEventLog();
  for (const seq of [1, 2, 4, 5]) void log.append('a', { seq, data: `${seq}` });
  expect(log.read('a', 2)).toBeUndefined();
  expect(log.read('a', 3)).toEqual([
    { seq: 4, data: '4' },
    { seq: 5, data: '5' },
  ]);
});

test('an unknown stream is not found, whatever its name', () => {
  const log = memoryEventLog();
  for (const name of ['x', '__proto__', 'constructor']) expect(log.read(name, 0)).toBeUndefined();
});

test('a read that lacks evicted events returns undefined', () => {
  const log = memoryEventLog({ maxEvents: 10 });
  for (let seq = 1; seq <= 100; seq++) void log.append('a', { seq, data: '' });
  expect(log.read('a', 50)).toBeUndefined();
  expect(log.read('a', 90)).toHaveLength(10);
});

test('a stream is evicted ten minutes after its last event', async () => {
  const clock = new HeldClock();
  const log = memoryEventLog({ clock });
  void log.append('a', { seq: 1, data: '' });
  await clock.pass(300_000);
  void log.append('a', { seq: 2, data: '' });
  await clock.pass(599_000);
  expect(log.read('a', 0)).toHaveLength(2);
  await clock.pass(2_000);
  expect(log.read('a', 0)).toBeUndefined();
});

test('the stream with the oldest last event is evicted when the total is too large', () => {
  const log = memoryEventLog({ maxLength: 100 });
  void log.append('a', { seq: 1, data: 'x'.repeat(60) });
  void log.append('b', { seq: 1, data: 'x'.repeat(30) });
  void log.append('a', { seq: 2, data: 'x' });
  void log.append('c', { seq: 1, data: 'x'.repeat(30) });
  expect(log.read('b', 0)).toBeUndefined();
  expect(log.read('a', 0)).toHaveLength(2);
  void log.append('d', { seq: 1, data: 'x'.repeat(500) });
  expect(log.read('d', 0)).toHaveLength(1);
  expect(log.read('a', 0)).toBeUndefined();
});

test('the total counts only events that are still stored', () => {
  const log = memoryEventLog({ maxEvents: 4, maxLength: 100 });
  void log.append('quiet', { seq: 1, data: 'x'.repeat(30) });
  for (let seq = 1; seq <= 1_000; seq++) void log.append('busy', { seq, data: 'x'.repeat(10) });
  void log.append('busy', { seq: 2_000, data: 'x'.repeat(70) });
  expect(log.read('quiet', 0)).toHaveLength(1);
  expect(log.read('busy', 1_999)).toHaveLength(1);
  void log.append('busy', { seq: 2_001, data: 'x' });
  expect(log.read('quiet', 0)).toBeUndefined();
});

test('evicted events leave the total, so a busy stream does not disable the limit for others', () => {
  const log = memoryEventLog({ maxEvents: 4, maxLength: 1_000 });
  for (let seq = 1; seq <= 1_000; seq++) void log.append('busy', { seq, data: 'x' });
  void log.append('first', { seq: 1, data: 'x'.repeat(600) });
  void log.append('second', { seq: 1, data: 'x'.repeat(600) });
  expect(log.read('busy', 1_000)).toBeUndefined();
  expect(log.read('first', 0)).toBeUndefined();
  expect(log.read('second', 0)).toHaveLength(1);
});
