/** Pages of a merged list, and their cursors. */
import { expect, test } from 'vitest';
import { toBase64Url } from '../../model/base64.ts';
import type { ExposedPart } from '../contract.ts';
import { pageOfParts } from './list-page.ts';

const part = (name: string): ExposedPart => ({ label: 'shop', kind: 'tool', key: name, name, definition: {} });
const partsOf = (count: number): readonly ExposedPart[] => Array.from({ length: count }, (_, at) => part(`tool-${at}`));
const cursorOf = (text: string): string => toBase64Url(new TextEncoder().encode(text));

/** The sizes of all pages. Fails if a part is missing, doubled or out of order. */
function pagesOf(parts: readonly ExposedPart[]): readonly number[] {
  const seen: ExposedPart[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = pageOfParts('tools', parts, cursor);
    seen.push(...page.parts);
    sizes.push(page.parts.length);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(parts);
  return sizes;
}

test.each([
  [0, [0]],
  [1, [1]],
  [999, [999]],
  [1_000, [1_000]],
  [1_001, [1_000, 1]],
  [2_000, [1_000, 1_000]],
  [2_500, [1_000, 1_000, 500]],
])('a list of %i parts has pages of %j', (count, sizes) => {
  expect(pagesOf(partsOf(count))).toEqual(sizes);
});

test('a cursor is the name of the last part, so that every node can continue', () => {
  expect(pageOfParts('tools', partsOf(1_001), undefined).nextCursor).toBe(cursorOf('tools tool-999'));
});

test.each([1_024, 1_025, 100_000])(
  'a name of %i characters at the end of a page keeps no client from the next page',
  (length) => {
    const long = part(`file:///${'x'.repeat(length - 8)}`);
    const parts = [...partsOf(999), long, part('after')];
    expect(pagesOf(parts)).toEqual([1_000, 1]);
    expect(pageOfParts('tools', parts, undefined).nextCursor?.length).toBeLessThan(2_000);
  },
);

test.each<[string, unknown]>([
  ['of another list', cursorOf('prompts tool-0')],
  ['of a part that is gone', cursorOf('tools tool-9')],
  ['without a name', cursorOf('tools')],
  ['that is too long', cursorOf(`tools ${'x'.repeat(16_384)}`)],
  ['that is no base64', '%'],
  ['that is empty', ''],
  ['that is a number', 7],
  ['that is null', null],
])('a cursor %s is invalid', (_what, cursor) => {
  expect(() => pageOfParts('tools', partsOf(3), cursor)).toThrow(
    'Invalid cursor: use the nextCursor of an earlier page',
  );
});

test('the list is read at the start of a cursor only', () => {
  const parts = [part('tools x'), part('b')];
  expect(pageOfParts('tools', parts, cursorOf('tools tools x')).parts).toHaveLength(1);
  expect(() => pageOfParts('tools', parts, cursorOf('other tools x'))).toThrow('Invalid cursor');
});
