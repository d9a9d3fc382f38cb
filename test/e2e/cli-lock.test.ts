/** A lock file that a team shares: what was approved on one machine is approved on another. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder, mooring } from '../support/command-line.ts';

const module = `
import { createServer, tool } from ${JSON.stringify(resolve('.cache/fixtures/mooring.mjs'))};
export default createServer({ name: 'shop', version: '1', parts: [tool({ name: 'refund', description: 'Refunds', run: () => 'done' })] });
`;

test('a module stays approved in a copy of its project, however the command line is started', async () => {
  await using at = await folder();
  const [shop, copy] = [join(at.path, 'shop'), join(at.path, 'elsewhere', 'copy')];
  await mkdir(shop);
  await writeFile(join(shop, 'server.mjs'), module);
  const approved = await mooring(['lock', 'approve', './server.mjs', '--yes'], { cwd: shop });
  expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
  const text = await readFile(join(shop, 'mcp.lock'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ servers: { server: { address: 'npx mooring run ./server.mjs' } } });
  expect(text).not.toContain(at.path);
  await cp(shop, copy, { recursive: true });
  const checked = await mooring(['lock', 'check', './server.mjs'], { cwd: copy });
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('1 of 1 approved')]);
});
