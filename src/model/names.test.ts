import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VERSION } from './names.ts';

test('VERSION is the version in package.json', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(manifest).toMatchObject({ version: VERSION });
});
