/** HTTP has two implementations with shared rules, because converting one kind of request into the other would cost more than responding. */
import { expect, test } from 'vitest';
import { codeOf, entryPoints, reach } from '../support/source.ts';

const web = 'src/transport/http/fetch.ts';
const node = ['src/transport/http/node-view.ts', 'src/transport/http/node-reply.ts', 'src/transport/node.ts'];

test('what serves node:http makes no Request and no Response, and does not load what does', () => {
  for (const file of node) expect(codeOf(file)).not.toMatch(/\b(?:Request|Response|Headers|ReadableStream|toWeb)\(/);
  expect(reach(entryPoints().get('./node') ?? '').files).not.toContain(web);
});

test('what serves Request and Response knows nothing of Node', () => {
  const { files, outside } = reach(web);
  expect(outside).toEqual([]);
  expect(files.filter((file) => node.includes(file))).toEqual([]);
});

test('both go through the same rules', () => {
  for (const entry of [web, 'src/transport/node.ts'])
    expect(reach(entry).files).toContain('src/transport/http/service.ts');
});
