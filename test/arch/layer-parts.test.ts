/** Our own middleware uses only public API. */
import { expect, test } from 'vitest';
import { codeOf, importsOf } from '../support/source.ts';

test('rateLimit imports nothing but names of the entry point mooring', () => {
  const file = 'src/server/rate-limit.ts';
  const names = [...codeOf(file).matchAll(/^import (?:type )?\{([^}]+)\}/gm)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.replace(/\btype\b/, '').trim());
  expect(importsOf(file).every(({ to }) => to.startsWith('src/'))).toBe(true);
  expect(names.length).toBeGreaterThan(5);
  const exported = new Set(codeOf('src/index.ts').match(/\w+/g));
  expect(names.filter((name) => !exported.has(name))).toEqual([]);
});
