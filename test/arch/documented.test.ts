/** What the protocol requires implementations to document is documented correctly. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { revisions } from '../../src/revisions/index.ts';
import { checker } from '../../src/schema/index.ts';
import { codeOf, roomOf, sourceFiles, textOf } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

const about = { what: 'the schema', side: 'input' } as const;

test('the dialects of JSON Schema that are understood are documented, and no other is understood', () => {
  verifies('BASE-067', 'TOOL-16', 'BASE-070', 'TOOL-14');
  const page = textOf('docs/reference/schemas.md');
  const documented = [...page.matchAll(/^\| [^|]*\| `(http[^`]+)`/gm)].map(([, uri = '']) => uri);
  expect(documented).toHaveLength(2);
  for (const $schema of documented) expect(() => checker({ $schema, type: 'object' }, about)).not.toThrow();
  for (const draft of ['2019-09', '2030-01', 'draft-04']) {
    const $schema = `https://json-schema.org/draft/${draft}/schema`;
    expect(() => checker({ $schema, type: 'object' }, about)).toThrow(draft);
  }
});

test('schemas are written in the newest dialect, by libraries and by the advice to authors', () => {
  verifies('BASE-068');
  const { jsonSchema } = checker(z.object({ sizes: z.tuple([z.string(), z.number()]) }), about);
  expect(JSON.stringify(jsonSchema)).toContain('"prefixItems"');
  // The default is omitted.
  expect(jsonSchema).not.toHaveProperty('$schema');
  expect(textOf('docs/reference/schemas.md')).toContain('New schemas are best written in 2020-12');
});

test('what the newest revision removed is kept for the older ones, and the page shows it', () => {
  verifies('EXT-14');
  const [newest, ...older] = revisions;
  for (const method of ['ping', 'logging/setLevel', 'resources/subscribe']) {
    expect(newest?.methods.requests.has(method)).toBe(false);
    expect(older.map(({ methods }) => methods.requests.has(method))).toEqual([true, true, true, true]);
    expect(textOf('docs/revisions.md')).toContain(`| \`${method}\` | ✓ | ✓ | ✓ | ✓ |  |`);
  }
});

test('no setting lets a schema be fetched, and the page says so', () => {
  verifies('BASE-073', 'BASE-074', 'TOOL-27', 'TOOL-28');
  const files = sourceFiles().filter((file) => roomOf(file) === 'schema');
  expect(files.filter((file) => /\bfetch\b|XMLHttpRequest|loadSchema|compileAsync/.test(codeOf(file)))).toEqual([]);
  expect(textOf('docs/reference/schemas.md').replace(/\s+/g, ' ')).toContain(
    'there is no setting that fetches schemas from the network',
  );
});

test('writing a transport is documented: connecting, framing, cancelling', () => {
  verifies('BASE-087');
  const page = textOf('docs/reference/transports.md').replace(/\s+/g, ' ');
  expect(page).toContain('opens the connection and returns a `Connection`');
  expect(page).toContain('frame as stdio does: one message per line');
  expect(page).toContain('Cancelling a request sends `notifications/cancelled`');
  expect(page).toContain('how to connect, how messages are framed and how a request is cancelled');
});

test('every source file that the architecture page names exists', () => {
  const page = textOf('docs/explain/architecture.md').replace(/^```[\s\S]*?^```$/gm, '');
  const named = [...page.matchAll(/`([a-z][\w/-]*\.ts)`/g)]
    .map(([, file = '']) => file)
    .filter((file) => file !== 'timed.ts');
  expect(named.length).toBeGreaterThan(50);
  const sources = sourceFiles();
  expect(named.filter((file) => !sources.some((source) => source.endsWith(`/${file}`)))).toEqual([]);
});
