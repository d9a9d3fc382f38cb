/** package.json's `browser` lists the modules that bundlers for pages must omit, because they fail on `node:` imports. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path/posix';
import { expect, test } from 'vitest';
import { entryPoints, importsOf, reach, textOf } from '../support/source.ts';

/** The entry points that a page can use. */
const open = ['.', './client', './auth', './frame'];

/** Lazily loaded modules that need Node, among all modules that a page can load. */
function onlyOnNode(): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const queue = open.map((entryPoint) => entryPoints().get(entryPoint) ?? '');
  for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
    for (const file of reach(entry).files) {
      for (const { to, kind } of importsOf(file)) {
        if (kind !== 'lazy' || !existsSync(to) || seen.has(to)) continue;
        seen.add(to);
        if (reach(to).outside.some((name) => name.startsWith('node:'))) found.add(to);
        else queue.push(to);
      }
    }
  }
  return [...found];
}

test('every chunk that is for Node alone is left out for pages, and nothing else is', () => {
  const { browser } = JSON.parse(textOf('package.json')) as { browser: Record<string, boolean> }; // our own file
  const chunks = onlyOnNode().map((file) => `./dist/chunks/${basename(file, '.ts')}.js`);
  expect(Object.keys(browser).toSorted()).toEqual(chunks.toSorted());
  expect(new Set(Object.values(browser))).toEqual(new Set([false]));
});
