/**
 * Extracts the official schemas of all revisions from the official packages, which are development dependencies at fixed
 * versions: older revisions from the SDK of their time, the newest two from version 2. The Zod schemas are converted to JSON
 * Schema in `.cache/official`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { filesUnder } from '../../scripts/files.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { corrected } from './official-corrections.ts';
import { definitionsOf, type ZodLike } from './zod-shapes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = join(root, '.cache/official');

type Schemas = Readonly<Record<string, unknown>>;

const NEEDED = ['@modelcontextprotocol/server', 'sdk-2024-11-05', 'sdk-2025-03-26', 'sdk-2025-06-18'];

export async function writeOfficialShapes(): Promise<void> {
  const absent = NEEDED.filter((name) => !existsSync(join(root, 'node_modules', name)));
  if (absent.length > 0) throw new Error(`Not installed: ${absent.join(', ')}. Run \`npm ci\`, then the tests again.`);
  mkdirSync(output, { recursive: true });
  const made = madeFrom();
  if (existsSync(join(output, 'made-from')) && readFileSync(join(output, 'made-from'), 'utf8') === made) return;
  const newest = await wireSchemas();
  const envelopes = await load('@modelcontextprotocol/core');
  const sources: Readonly<Record<string, Schemas>> = {
    '2024-11-05': await sdk('sdk-2024-11-05/dist/types.js'),
    '2025-03-26': await sdk('sdk-2025-03-26/dist/esm/types.js'),
    '2025-06-18': await sdk('sdk-2025-06-18/dist/esm/types.js'),
    '2025-11-25': { ...only(envelopes, /^JSONRPC/), ...newest['buildSchemas2025'] },
    '2026-07-28': { ...only(envelopes, /^JSONRPC/), ...newest['buildSchemas2026'] },
  };
  for (const [revision, schemas] of Object.entries(sources)) {
    const definitions = { ...definitionsOf(named(schemas)), ...unions(schemas) };
    write(`${revision}.json`, JSON.stringify({ $defs: corrected(revision, definitions) }));
  }
  write('made-from', made);
}

/** A digest of the packages and the converting code; if it changes, the schemas are extracted again. */
function madeFrom(): string {
  const digest = createHash('sha256');
  for (const name of NEEDED) digest.update(readFileSync(join(root, 'node_modules', name, 'package.json')));
  for (const name of ['official-shapes', 'official-corrections', 'zod-shapes']) {
    digest.update(readFileSync(new URL(`${name}.ts`, import.meta.url)));
  }
  return digest.digest('hex');
}

function only(schemas: Schemas, pattern: RegExp): Schemas {
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => pattern.test(name)));
}

/** Maps `CallToolRequestSchema` to `CallToolRequest`. Schemas by method have no names. */
function named(schemas: Schemas): ReadonlyMap<string, ZodLike> {
  const own = Object.entries(schemas).flatMap(([name, schema]): [string, ZodLike][] =>
    name.endsWith('Schema') && isZod(schema) ? [[name.replace(/(?:2026)?Schema$/, ''), schema]] : [],
  );
  const byMethod = Object.entries((schemas['notificationSchemas2026'] ?? {}) as Record<string, ZodLike>);
  const known = new Set(own.map(([, schema]) => schema));
  return new Map([
    ...own,
    ...byMethod.filter(([, one]) => !known.has(one)).map(([method, one]): [string, ZodLike] => [nameOf(method), one]),
  ]);
}

const nameOf = (method: string): string => `${method.replace(/\W+/g, '_')}Notification`;

function isZod(value: unknown): value is ZodLike {
  return typeof value === 'object' && value !== null && '_def' in value;
}

/** The messages of client and server in the newest revision, which the package lists by method. */
function unions(schemas: Schemas): Record<string, JsonObject> {
  if (!('dispatchRequestSchemas' in schemas)) return {};
  const refs = (names: readonly string[]): JsonObject => ({
    anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })),
  });
  const all = named(schemas);
  const saying = (methods: readonly string[]): string[] =>
    [...all].filter(([, schema]) => methods.includes(methodOf(schema))).map(([name]) => name);
  return {
    ClientRequest: refs(saying(Object.keys(schemas['dispatchRequestSchemas'] as object))),
    ClientNotification: refs(saying(['notifications/cancelled'])),
    ServerNotification: refs(saying(Object.keys(schemas['notificationSchemas2026'] as object))),
  };
}

/** The method of a request or notification schema. */
function methodOf({ _def: def }: ZodLike): string {
  const method = (def['shape'] as Record<string, ZodLike> | undefined)?.['method']?._def['values'];
  return Array.isArray(method) ? String(method[0]) : '';
}

/** The schemas of an older SDK, which uses Zod 3. */
async function sdk(path: string): Promise<Schemas> {
  const source = readFileSync(join(root, 'node_modules', path), 'utf8');
  return await load(write(`${path.split('/')[0]}.mjs`, source.replaceAll(/from ["']zod["']/g, "from 'zod/v3'")));
}

/** The per-revision schemas of version 2 of the SDK. Its build does not export them, so an export is added. */
async function wireSchemas(): Promise<Record<'buildSchemas2025' | 'buildSchemas2026', Schemas>> {
  const folder = join(root, 'node_modules/@modelcontextprotocol/server/dist');
  const file = filesUnder(folder, '.mjs').find((path) =>
    readFileSync(path, 'utf8').includes('function buildSchemas2026('),
  );
  if (file === undefined) throw new Error('@modelcontextprotocol/server has no buildSchemas2026; look where it went');
  const source = readFileSync(file, 'utf8').replaceAll(/from "\.\//g, `from "${pathToFileURL(folder).href}/`);
  const module = await load(write('wire.mjs', `${source}\nexport { buildSchemas2025, buildSchemas2026 };\n`));
  const { buildSchemas2025, buildSchemas2026 } = module as Record<string, () => Schemas>; // exported just before
  if (buildSchemas2025 === undefined || buildSchemas2026 === undefined) throw new Error('the exports are missing');
  return { buildSchemas2025: buildSchemas2025(), buildSchemas2026: buildSchemas2026() };
}

/** Atomic, because another run may be reading the file. */
function write(name: string, text: string): string {
  const file = join(output, name);
  // Without the reference to a source map that is not there.
  writeFileSync(`${file}.${process.pid}`, text.replace(/^\/\/# sourceMappingURL=.*$/gm, ''));
  renameSync(`${file}.${process.pid}`, file);
  return pathToFileURL(file).href;
}

async function load(module: string): Promise<Schemas> {
  return (await import(/* @vite-ignore */ module)) as Schemas;
}
