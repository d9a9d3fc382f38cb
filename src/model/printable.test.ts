import { expect, test } from 'vitest';
import { printable, reasonOf, shown } from './printable.ts';

test('printable text keeps every other character', () => {
  expect(printable('Grüße 🙂 你好 "x" \\ \u009b1m\n')).toBe('Grüße 🙂 你好 "x" \\ \\u009b1m\\u000a');
});

test('a URL is shown without what may be secret', () => {
  expect(shown(new URL('https://ada:pass@example.test/a%0a?code=1#token'))).toBe('https://example.test/a%0a');
});

test('the reason of a failed request is found wherever it hides', () => {
  expect(reasonOf(new TypeError('fetch failed', { cause: new Error('connect\nrefused') }))).toBe(
    'fetch failed: connect\\u000arefused',
  );
  expect(reasonOf(new AggregateError([new Error('no route'), new Error('refused')]))).toBe('no route');
  expect(reasonOf(new RangeError(''))).toBe('RangeError');
  expect(reasonOf('gone')).toBe('gone');
});
