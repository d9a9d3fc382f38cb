/** Each dependency is documented, pinned, and within its size limit. */
import { expect, test } from 'vitest';
import { textOf } from '../support/source.ts';

// Our own file.
const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;

test('every dependency has a row in docs/explain/dependencies.md, and every row a dependency', () => {
  const rows = [...textOf('docs/explain/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(Object.keys(dependencies ?? {}).toSorted());
});

test('versions are exact', () => {
  const all = Object.entries({ ...dependencies, ...devDependencies });
  expect(all.filter(([, version]) => !/^(?:npm:@modelcontextprotocol\/sdk@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
