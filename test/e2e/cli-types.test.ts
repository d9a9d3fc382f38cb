/** `mooring types`: its output compiles, matches the server, and names of a server cannot inject code. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shop } from '../../examples/shop.ts';
import { moduleText } from '../../src/cli/types/module-text.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { folder, mooring } from '../support/command-line.ts';

/** Compiles files in strict mode, and returns the compiler's errors. */
async function compiled(files: Readonly<Record<string, string>>): Promise<string> {
  const place = '.cache/cli-types';
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text);
  const compilerOptions = { noEmit: true, isolatedDeclarations: false, declaration: false, rootDir: '../..' };
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions,
    include: ['*.ts', '../../src/**/*.d.ts'],
    exclude: [],
  };
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify(config));
  const { stdout, stderr } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', place], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

const program = `
import { connect } from 'mooring/client';
import type { Shop, RefundInput } from './shop.ts';
const client = await connect<Shop>('https://shop.test/mcp');
const input: RefundInput = { order: 'A' };
const { data } = await client.call('refund', input);
export const amount: number = data.amount;
await client.call('stocktake');
await client.call('slogan');
await client.read('orders://A');
await client.getPrompt('apology', { order: 'A' });
// @ts-expect-error there is no such tool
await client.call('refundd', input);
// @ts-expect-error the argument is missing
await client.call('refund');
// @ts-expect-error the argument is called "order"
await client.call('refund', { ordr: 'A' });
// @ts-expect-error it takes no arguments
await client.call('slogan', { a: 1 });
// @ts-expect-error there is no such member
export const nothing = data.amont;
// @ts-expect-error there is no such resource
await client.read('files://A');
// @ts-expect-error there is no such prompt
await client.getPrompt('apologies', { order: 'A' });
`;

const villainous = `*/ export const pwned = 1; /* \${x} \` \u2028 \u202e " ' \\ \n // */ *\\/ @ts-nocheck`;
const hostile = moduleText(
  {
    server: { name: `shop ${villainous}`, version: villainous },
    revision: '',
    instructions: villainous,
    tools: [villainous, 'constructor', '__proto__', 'get', 'readonly', 'new', '', 'a"b', '}', '// x'].map((name) => ({
      name,
      description: villainous,
      inputSchema: {
        type: 'object',
        description: villainous,
        properties: Object.fromEntries(
          [villainous, '__proto__', 'constructor', 'get', 'set', 'readonly', 'new', ''].map((key) => [
            key,
            { enum: [villainous, 1, null], description: villainous },
          ]),
        ),
        required: [villainous],
        $defs: { [villainous]: { const: { [villainous]: villainous } } },
        allOf: [{ $ref: `#/$defs/${encodeURIComponent(villainous.replaceAll('~', '~0').replaceAll('/', '~1'))}` }],
      },
    })),
    prompts: [
      { name: villainous, description: villainous, arguments: [{ name: villainous, description: villainous }] },
    ],
    resources: [{ uri: villainous, name: '' }],
    templates: [{ uriTemplate: `x://{a}${villainous}{b}`, name: '' }],
  },
  (why) => expect.fail(why),
);
/** Checks that the module declares only types. */
const inspection = `
import * as hostile from './hostile.ts';
import type { ${hostile.name} } from './hostile.ts';
export type Tools = keyof NonNullable<${hostile.name}['~types']>['tools'];
export const tools: readonly Tools[] = ['constructor', '__proto__', 'get', 'readonly', 'new', '', 'a"b', '}', '// x'];
export const nothing: Record<never, never> = hostile;
// @ts-expect-error nothing broke out
export const pwned: unknown = hostile.pwned;
`;

describe('types', () => {
  test('are what the compiler needs to check a client, and hold whatever names a server has', {
    timeout: 60_000,
  }, async () => {
    const http = await serveHttp(shop, { port: 0 });
    const { code, stdout } = await mooring(['types', http.url]);
    await http.close();
    expect(code).toBe(0);
    const files = { 'shop.ts': stdout, 'program.ts': program, 'hostile.ts': hostile.text, 'inspection.ts': inspection };
    expect(await compiled(files)).toBe('');
    expect(hostile.text).not.toMatch(/[\u2028\u202e]/);
  });

  test('are written to a file, which only they themselves may replace', async () => {
    await using project = await folder();
    const http = await serveHttp(shop, { port: 0 });
    const run = (...words: readonly string[]): ReturnType<typeof mooring> =>
      mooring(['types', http.url, ...words], { cwd: project.path });
    const file = join(project.path, 'shop.ts');
    expect(await run('--out', 'shop.ts')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `The type Shop is in ${file}\n`,
    });
    const text = await readFile(file, 'utf8');
    const json = JSON.parse((await run('--json')).stdout) as unknown;
    expect(json).toEqual({ name: 'Shop', text });
    expect(JSON.parse((await run('--out', 'shop.ts', '--json')).stdout)).toEqual({ name: 'Shop', file });

    await writeFile(file, 'mine');
    const refused = await run('--out', 'shop.ts');
    expect([refused.code, await readFile(file, 'utf8')]).toEqual([2, 'mine']);
    expect(refused.stderr).toContain('pass --force to replace it');
    expect((await run('--out', 'shop.ts', '--force')).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await readdir(project.path)).toEqual(['shop.ts']);

    expect((await run('--out', '.')).stderr).toContain('expected a file, not a folder');
    expect((await run('--out', 'nowhere/shop.ts')).stderr).toContain('folder not found');
    expect((await run('more')).stderr).toContain('more: unexpected argument');
    await http.close();
  });
});
