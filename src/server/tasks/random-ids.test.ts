/** Ids of tasks: each is new, and every bit of it varies. */
import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { fromBase64Url } from '../../model/base64.ts';
import { RandomIds } from './random-ids.ts';

test('ids of tasks are 32 bytes that do not repeat, and every bit of them varies', () => {
  verifies('TASK-103');
  const ids = new RandomIds();
  const made = Array.from({ length: 2_000 }, () => ids.next());
  expect(new Set(made).size).toBe(2_000);
  expect(made.every((id) => fromBase64Url(id)?.length === 32)).toBe(true);
  const values = Array.from({ length: 43 }, (_, at) => new Set(made.map((id) => id[at])).size);
  expect(values).toEqual([...Array.from({ length: 42 }, () => 64), 16]);
});
