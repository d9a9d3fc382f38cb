/** The page of the workbench runs in a browser: it loads nothing of Node, and only the page itself loads it. */
import { expect, test } from 'vitest';
import { filesUnder } from '../../scripts/files.ts';
import { codeOf, importsOf, roomOf, sourceFiles, textOf } from '../support/source.ts';

const folder = 'src/workbench/page/';
const page = [...filesUnder('src/workbench/page', '.tsx'), ...sourceFiles().filter((file) => file.startsWith(folder))];

/** Shared with the process: protocol types, plain logic, the clock, LRU maps, the stream reader, view frames, and JSON editing. */
const shared = [
  'src/workbench/protocol.ts',
  'src/workbench/protocol-events.ts',
  'src/workbench/protocol-policy.ts',
  'src/workbench/protocol-questions.ts',
  'src/workbench/protocol-rows.ts',
  'src/workbench/result-reference.ts',
  'src/workbench/protocol-timeline.ts',
  'src/files/jsonc.ts',
  'src/files/jsonc-edit.ts',
  'src/files/jsonc-tree.ts',
  'src/peer/clock.ts',
  'src/peer/set-newest.ts',
  'src/transport/http-client/sse-parser.ts',
  'src/extensions/apps/frame.ts',
];
const packages = ['preact', 'preact/hooks', '@preact/signals'];

test('the page of the workbench imports plain logic and its two packages, and nothing of Node', () => {
  expect(page.length).toBeGreaterThan(2);
  const strange = page.flatMap((file) =>
    importsOf(file)
      .filter(({ to }) => !to.startsWith(folder) && !shared.includes(to) && !packages.includes(to))
      .filter(({ to }) => !['jsonrpc', 'model', 'schema'].includes(to.startsWith('src/') ? roomOf(to) : ''))
      .map(({ to }) => `${file}: ${to}`),
  );
  expect(strange).toEqual([]);
});

test('no other file imports the page of the workbench', () => {
  const others = sourceFiles().filter((file) => !file.startsWith(folder));
  expect(others.filter((file) => importsOf(file).some(({ to }) => to.startsWith(folder)))).toEqual([]);
});

test('nothing becomes markup in the page of the workbench', () => {
  const sinks =
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\(|new Function/;
  expect(page.filter((file) => sinks.test(codeOf(file)))).toEqual([]);
});

test('a link or picture of the page of the workbench is its own: no server says where it leads', () => {
  const own = /^(?:\{linkTo\(|"#|\{`#|\{`data:\$\{type|\{tool\.icon$)/;
  const places = page.flatMap((file) =>
    [...codeOf(file).matchAll(/\b(?:href|src|action|formAction|poster|ping)=(\{[^}]*|"[^"]*")/g)].map(
      ([, value = '']) => ({ file, value }),
    ),
  );
  expect(places.length).toBeGreaterThan(10);
  expect(places.filter(({ value }) => !own.test(value))).toEqual([]);
  // URLs from servers are opened only with consent.
  expect(page.filter((file) => /\bwindow\.open\(|\blocation(?:\.href)? = /.test(codeOf(file)))).toEqual([
    `${folder}shell/open-questions.tsx`,
  ]);
});

test('the document of the workbench names no address but its own', () => {
  const document = textOf(`${folder}index.html`) + textOf(`${folder}style.css`);
  expect(document.match(/(?:https?:)?\/\/[\w-]+\.[\w.-]+|url\(|@import/g) ?? []).toEqual([]);
  expect(document.match(/<style|\sstyle=|\son\w+=|<script(?! type="module" src="\/page\.js")/g) ?? []).toEqual([]);
});
