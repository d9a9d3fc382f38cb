/** No exported name is a global of browsers or Node. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeOf } from '../support/source.ts';

// Our own file.
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, { default?: string }>;
};
const entries = Object.values(exports).flatMap(({ default: path }) =>
  path === undefined ? [] : [path.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
);

/** The names that an entry point exports. */
function exportedBy(file: string): string[] {
  const code = codeOf(file);
  const lists = [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','));
  const own = [...code.matchAll(/^export (?:async )?(?:interface|type|class|const|function) (\w+)/gm)].map(
    ([, n]) => n,
  );
  return [...lists.map((name) => name.replace(/\btype\b/, '').trim()), ...own].filter((name) => !!name) as string[];
}

/** All global names of TypeScript programs for browsers and Node. */
function globals(): Set<string> {
  // The compiler's package for this platform contains the declarations of browsers.
  const [compiler = ''] = readdirSync('node_modules/@typescript').filter((name) => name.startsWith('typescript-'));
  const dom = readFileSync(join('node_modules/@typescript', compiler, 'lib/lib.dom.d.ts'), 'utf8');
  const declared = [...dom.matchAll(/^(?:declare var|interface|type) (\w+)/gm)].map(([, name = '']) => name);
  return new Set([...declared, ...Object.getOwnPropertyNames(globalThis)]);
}

test('every entry point exports something', () => {
  expect(entries.filter((entry) => exportedBy(entry).length < 2)).toEqual([]);
});

test('no exported name is a global of browsers or of Node', () => {
  const known = globals();
  expect(known.size).toBeGreaterThan(1_000);
  expect(entries.flatMap((entry) => exportedBy(entry).filter((name) => known.has(name)))).toEqual([]);
});

const written = readdirSync('api').map((file) => readFileSync(join('api', file), 'utf8'));

test('only errors, links and what transports are made of are classes', () => {
  const classes = written.flatMap((text) => [...text.matchAll(/\bclass (\w+)/g)].map(([, name]) => name));
  const allowed = ['Duplex', 'Lines', 'Link', 'McpError', 'RpcError', 'ToolError', 'TranscriptMismatch'];
  expect([...new Set(classes)].toSorted()).toEqual(allowed);
});

test('no public type names a revision, so that another one changes none of them', () => {
  expect(written.filter((text) => /\d{4}-\d{2}-\d{2}/.test(text))).toEqual([]);
});
