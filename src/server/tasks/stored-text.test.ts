import { expect, test } from 'vitest';
import type { StoredTask } from '../../model/task-record.ts';
import { holderOf, holderText, readTask } from './stored-text.ts';

const held = { id: 't', runs: 2, dueAt: 20, lease: { by: 'a b', until: 20 } } as StoredTask; // the members that stores read

test('a task names the run that can renew its lease, and one that has ended or is not held names none', () => {
  expect(holderOf(held)).toBe(holderText({ by: 'a b', run: 2 }));
  expect(holderOf(held)).toBe('2 a b');
  expect(holderOf({ ...held, runs: 3 })).not.toBe(holderOf(held));
  expect(holderOf({ ...held, lease: { by: 'other', until: 20 } })).not.toBe(holderOf(held));
  expect(holderOf({ ...held, lease: undefined })).toBe('');
  expect(holderOf({ ...held, outcome: { cancelled: true } })).toBe('');
});

test('a renewal since the last write moves the end of the lease, and the task is due then', () => {
  const text = JSON.stringify(held);
  expect(readTask(text, 50)).toEqual({ ...held, dueAt: 50, lease: { by: 'a b', until: 50 } });
  for (const none of [null, undefined]) expect(readTask(text, none)).toEqual(held);
});

test('a renewal does not give a lease to a task that has none', () => {
  const { lease, ...free } = held;
  expect(readTask(JSON.stringify(free), 50)).toEqual(free);
});
