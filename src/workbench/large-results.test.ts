import { expect, test } from 'vitest';
import { MAX_PAGE_MESSAGE } from './event-feed.ts';
import { LargeResults } from './large-results.ts';
import type { BlobReference } from './result-reference.ts';

const most = 'x'.repeat(MAX_PAGE_MESSAGE - 2); // with its quotes

test('a result of 1 MiB is sent as it is, and a larger one waits until it is taken, once', () => {
  const large = new LargeResults();
  expect(large.shorten(most)).toBe(most);
  const { blob, bytes } = large.shorten(`${most}ä`) as BlobReference;
  expect(bytes).toBe(MAX_PAGE_MESSAGE + 2);
  expect([large.take(blob), large.take(blob)]).toEqual([JSON.stringify(`${most}ä`), undefined]);
  expect(large.take('unknown')).toBeUndefined();
});

test('beyond fifty results, or 64 Mi characters of them, the oldest is evicted, and never the newest', () => {
  const large = new LargeResults();
  const blobs = [...Array(51).keys()].map((n) => (large.shorten(`${n}${most}`) as BlobReference).blob);
  expect([0, 1, 50].map((at) => large.take(blobs[at] ?? '')?.slice(0, 3))).toEqual([undefined, '"1x', '"50']);
  const half = 'y'.repeat(32 * 1024 * 1024 - 2);
  const [first, second, third] = [half, half, half].map((text) => (large.shorten(text) as BlobReference).blob);
  expect([first, second, third].map((blob = '') => large.take(blob)?.length)).toEqual([
    undefined,
    33_554_432,
    33_554_432,
  ]);
  // One character too many; a result that is not there takes up nothing.
  large.take('unknown');
  const [fourth, fifth] = [half, `${half}y`].map((text) => (large.shorten(text) as BlobReference).blob);
  expect([fourth, fifth].map((blob = '') => large.take(blob)?.length)).toEqual([undefined, 33_554_433]);
  const huge = large.shorten('z'.repeat(65 * 1024 * 1024)) as BlobReference;
  expect(large.take(huge.blob)?.length).toBe(huge.bytes);
});
