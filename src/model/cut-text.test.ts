import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';

const MEGABYTE = 1024 * 1024;

test('a text that fits stays as it is, and of a longer one the beginning is kept', () => {
  expect([cutText('\ud800abc', 4), cutText('abcdef', 3), cutText('\ufeffabc', 2)]).toEqual([
    '\ud800abc',
    'abc',
    '\ufeffa',
  ]);
});

test('no half of a character is left at the end', () => {
  expect(cutText('a🙂b', 2)).toBe('a\ufffd');
});

test('the result of cutText() does not retain the long text in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // the flag says so
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const kept = Array.from({ length: 50 }, (_, at) => cutText(`${at}${'x'.repeat(MEGABYTE)}`.replace('x', 'y'), 1_000));
  expect(used() - before).toBeLessThan(10 * MEGABYTE);
  expect(new Set(kept).size).toBe(50);
});
