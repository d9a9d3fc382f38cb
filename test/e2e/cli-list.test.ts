/** `mooring list` with a server on a socket of this process. */
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
      input: z.object({
        order: z
          .string()
          .regex(/^A-\d+$/)
          .meta({ description: 'The order \u001b[2J', examples: ['A-1041'] }),
        days: z.number().min(1).max(90).default(30).describe('Since delivery'),
      }),
      output: z.object({ amount: z.number().describe('In cents') }),
      effects: 'destructive',
      run: () => ({ amount: 1 }),
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

test('list tells the resources of a template apart by their names, because they share its description', async () => {
  const boat = resource({
    uri: 'boats://{id}',
    description: 'One boat',
    list: () => [
      { uri: 'boats://1', name: 'Albatross' },
      { uri: 'boats://2', description: 'The red one' },
    ],
    read: () => '',
  });
  const listener = await serveHttp(createServer({ name: 'harbor', version: '1.0.0', parts: [boat] }), { port: 0 });
  const { stdout } = await mooring(['list', listener.url]);
  await listener.close();
  expect(stdout).toContain('boats://1  Albatross\n  boats://2  The red one\n');
  expect(stdout).toContain('boats://{id}  One boat\n');
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

test('list shows one tool as a signature, with an example that can be called', async () => {
  const { code, stdout } = await mooring(['list', http.url, 'refund'], { tty: true, columns: 300 });
  expect(code).toBe(0);
  expect(stdout).toContain('refund(order: string, days?: number): { amount: number }\n');
  expect(stdout).toContain('order: string  The order \\u001b[2J (matches ^A-\\d+$)\n');
  expect(stdout).toContain('days?: number  Since delivery (1 to 90, default 30)\n');
  expect(stdout).toContain('amount: number  In cents\n');
  expect(stdout).toContain('Changes and deletes data');
  const example = /mooring (call .*)\n$/.exec(stdout)?.[1]?.split(' ') ?? [];
  expect(await mooring(example)).toMatchObject({ code: 0, stdout: expect.stringContaining('"amount": 1') });
});

test('call --help behind a tool is the same signature, and calls nothing', async () => {
  const listed = await mooring(['list', http.url, 'refund']);
  expect(await mooring(['call', http.url, 'refund', '--help'])).toEqual(listed);
  expect((await mooring(['call', http.url, '--help'])).stdout).toMatch(/^Call a tool/);
});

test.each([
  ['apology', 'apology(order)'],
  ['shop://notes', 'shop://notes'],
  ['orders://{id}', 'orders://{id}'],
  ['orders://7', 'orders://{id}'],
])('list shows what is called %s', async (name, heading) => {
  const { code, stdout } = await mooring(['list', http.url, name]);
  expect([code, stdout.split('\n')[0]]).toEqual([0, heading]);
});

test('list names the nearest where nothing has the name, and JSON holds one item alone', async () => {
  const wrong = await mooring(['list', http.url, 'refnd']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('did you mean refund?')]);
  const { stdout } = await mooring(['list', http.url, 'apology', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ tools: [], resources: [], templates: [], prompts: [{ name: 'apology' }] },
    examples: [`mooring prompt ${http.url} apology order=text`],
  });
});

test.each([40, 80])('one tool fits a terminal of %i columns', async (columns) => {
  const { stdout } = await mooring(['list', http.url, 'refund'], { tty: true, columns });
  const [text = ''] = stdout.split('Example');
  expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
});
