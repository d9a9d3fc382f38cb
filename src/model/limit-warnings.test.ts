import { expect, test } from 'vitest';
import { limitWarnings } from './limit-warnings.ts';

test('limitWarnings() passes on ten warnings, and says once that more are left out', () => {
  const warnings: string[] = [];
  const warn = limitWarnings((warning) => warnings.push(warning), 'tools/list');
  for (let n = 0; n < 10; n++) warn(`${n}`);
  expect(warnings).toHaveLength(10);
  for (let n = 10; n < 100; n++) warn(`${n}`);
  expect(warnings.slice(9)).toEqual(['9', 'More warnings about tools/list are left out']);
});
