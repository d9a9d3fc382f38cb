import { expect, test } from 'vitest';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { memoryEventLog } from './event-log.ts';

test('gives what came after a place, in order', () => {
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

test('knows nothing of streams it never saw, whatever they are called', () => {
  const log = memoryEventLog();
  for (const name of ['x', '__proto__', 'constructor']) expect(log.read(name, 0)).toBeUndefined();
});

test('says that something is missing rather than leave it out', () => {
  const log = memoryEventLog({ maxEvents: 10 });
  for (let seq = 1; seq <= 100; seq++) void log.append('a', { seq, data: '' });
  expect(log.read('a', 50)).toBeUndefined();
  expect(log.read('a', 90)).toHaveLength(10);
});

test('forgets a stream ten minutes after its last event', async () => {
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

test('forgets the quietest stream when there is too much in all', () => {
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
