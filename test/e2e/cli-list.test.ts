/** `mooring list` against a server on a socket of this process. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { createServer, prompt, resource, tool } from '../../src/index.ts';
import { type HttpListener, serveHttp } from '../../src/transport/node.ts';
import { mooring } from '../support/command-line.ts';

const shop = createServer({
  name: 'shop',
  version: '1.2.3',
  parts: [
    tool({
      name: 'refund',
      description: `Refund one order, ${'with care '.repeat(20)}\nand more`,
      input: z.object({ order: z.string(), days: z.number().optional() }),
      run: () => '',
    }),
    resource({ uri: 'shop://notes', description: 'Notes \u001b[2J', read: () => '' }),
    resource({ uri: 'orders://{id}', read: () => '' }),
    prompt({ name: 'apology', args: z.object({ order: z.string() }), render: () => '' }),
  ],
});

let http: HttpListener;
beforeAll(async () => {
  http = await serveHttp(shop, { port: 0 });
});
afterAll(() => http.close());

test('list shows everything that a server offers, a line each', async () => {
  const { code, stdout, stderr } = await mooring(['list', http.url]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^shop 1\.2\.3, revision /);
  expect(stdout).toMatch(/Tools\n {2}refund\(order, days\?\) {2}Refund one order, .*with care\s*\n\nResources/);
  expect(stdout).toContain('shop://notes  Notes \\u001b[2J\n');
  expect(stdout).toMatch(/Templates\n {2}orders:\/\/\{id\}/);
  expect(stdout).toMatch(/Prompts\n {2}apology\(order\)/);
});

test.each([40, 120])('list fits its lines into a terminal of %i columns, and cuts nothing off', async (columns) => {
  const { stdout } = await mooring(['list', http.url], { tty: true, columns });
  const long = stdout.split('\n').filter((line) => line.length > columns);
  expect(long).toEqual([]);
  expect(stdout.replace(/\s+/g, ' ')).toContain('with care '.repeat(20));
});

test('list --json is one document', async () => {
  const { stdout } = await mooring(['list', http.url, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    server: { name: 'shop' },
    tools: [{ name: 'refund' }],
    resources: [{ uri: 'shop://notes' }],
    templates: [{ uriTemplate: 'orders://{id}' }],
    prompts: [{ name: 'apology' }],
  });
});
