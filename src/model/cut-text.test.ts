import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';

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

test('what is kept of long texts does not keep the texts', () => {
  const kept: string[] = [];
  // Each is a text of its own; together they are larger than the heap of a process can be.
  for (let i = 0; i < 600; i++) kept.push(cutText(`${i}${'x'.repeat(16 * 1024 * 1024)}`.replace('x', 'y'), 1_000));
  expect(new Set(kept).size).toBe(600);
});
