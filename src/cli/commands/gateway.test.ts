/** Gateway commands that do not need a running gateway. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';

const text = `auth: { issuer: https://id.acme.example, audience: https://mcp.acme.example/mcp }
upstreams:
  shop: { url: https://shop.acme.example/mcp, auth: { exchange: { endpoint: https://id.acme.example/token, client: { id: gateway } } } }
  files: { command: files-server, isolate: principal }
views:
  default: { of: [shop] }
  ops: { of: [{ files: { tools: ['read_*'] } }, shop] }
policy:
  - deny: { server: shop, name: refund, lacks: shop:write }
  - ask: { server: shop, name: refund }
  - deny: { arguments: { path: { pattern: ^/etc } } }
  - allow: {}
`;

async function inFile(content: string, ...args: string[]) {
  await using project = await folder();
  await writeFile(join(project.path, 'gateway.yaml'), content);
  return await mooring(args, { cwd: project.path });
}

test('gateway --check prints every finding with its place, and exits with 1 where one is an error', async () => {
  const wrong = await inFile(
    text.replace('shop:write', 'shop:write, nam: x').replace('^/etc', '(('),
    'gateway',
    'gateway.yaml',
    '--check',
  );
  expect(wrong.stdout.split('\n')).toEqual([
    expect.stringContaining('gateway.yaml:9:60: error: policy.0.deny.nam: unknown member "nam"; did you mean "name"?'),
    expect.stringMatching(/^gateway\.yaml:11:\d+: error: policy\.2\.deny\.arguments\.path: .*/i),
    '2 errors, 0 warnings',
    '',
  ]);
  expect(wrong.code).toBe(1);
  const right = await inFile(text, 'gateway', 'gateway.yaml', '--check', '--json');
  expect(right.code).toBe(0);
  expect(JSON.parse(right.stdout)).toMatchObject({ ok: true, findings: [] });
});

test('gateway does not start with a file that has an error, and exits with 2', async () => {
  const { code, stderr } = await inFile('upstreams: {}\n', 'gateway', 'gateway.yaml');
  expect(code).toBe(2);
  expect(stderr).toContain('gateway.yaml:1:12: error: upstreams: there is no upstream; name at least one');
});

test('Ctrl-C while a command of "secrets" runs is no error of the file', async () => {
  await using project = await folder();
  const file = `secrets: { command: [${process.execPath}, -e, 'setTimeout(String, 60_000)'] }
upstreams: { shop: { url: 'https://shop.test/mcp', headers: { a: '\${secret:a}' } } }
`;
  await writeFile(join(project.path, 'gateway.yaml'), file);
  const signal = AbortSignal.timeout(300);
  const ran = await mooring(['gateway', 'gateway.yaml', '--check'], { cwd: project.path, signal });
  expect(ran).toMatchObject({ code: 130, stdout: '' });
});

test('gateway names an address that another process has', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // it listens on a port
  const file = `listen: { address: 127.0.0.1:${port} }\nupstreams: { shop: { url: http://127.0.0.1:1/mcp } }\n`;
  const { code, stderr } = await inFile(file, 'gateway', 'gateway.yaml');
  other.close();
  expect(stderr).toContain(`gateway.yaml: another process listens on 127.0.0.1:${port}; change "listen", "operations"`);
  expect(code).toBe(2);
});

test('gateway --schema prints JSON Schema', async () => {
  const { code, stdout } = await mooring(['gateway', '--schema']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'object', properties: { upstreams: { type: 'object' } } });
});

test('gateway explain says whether a caller sees a tool, which rule decides, and which credentials and upstream a call uses', async () => {
  const ask = (...args: string[]) => inFile(text, 'gateway', 'explain', 'gateway.yaml', ...args);
  const reader = await ask('shop__refund', '--as', '{"sub":"ada","scope":"shop:read"}');
  expect(reader.code).toBe(1);
  expect(reader.stdout.split('\n').slice(0, 3)).toEqual([
    'listed:       no',
    'call:         deny',
    expect.stringContaining('deny { server: shop, name: refund, lacks: shop:write }'),
  ]);
  const writer = await ask('shop__refund', '--as', '{"sub":"ada","scope":"shop:read shop:write"}', '--json');
  expect(writer.code).toBe(0);
  expect(JSON.parse(writer.stdout)).toMatchObject({
    upstreams: [
      {
        upstream: 'shop',
        name: 'refund',
        isListed: true,
        verdict: 'ask',
        target: 'https://shop.acme.example',
        credential: 'exchange, for this caller and these scopes',
        conversation: 'principal',
        revisions: 'negotiated when it connects',
      },
    ],
  });
  // The file does not list the upstream's tools.
  const made = await ask('shop__made_up', '--as', '{"sub":"ada","scope":"shop:write"}');
  expect(made.stdout.split('\n')[0]).toBe('listed:       yes, if shop has it');
  const files = await ask('files__read_all', '--view', 'ops', '--json');
  expect(JSON.parse(files.stdout)).toMatchObject({
    upstreams: [{ verdict: 'allow', onArguments: [expect.stringContaining('deny')], target: 'files-server' }],
  });
  const mistyped = await ask('shp__refund');
  expect(mistyped.stdout).toContain('\nDid you mean shop__refund?\n');
  const page = await ask('ui://shop+orders/page', '--json');
  expect(JSON.parse(page.stdout)).toMatchObject({
    upstreams: [{ upstream: 'shop', kind: 'resource', name: 'ui://orders/page' }],
  });
  const hidden = await ask('files__write', '--view', 'ops');
  expect(hidden).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('No upstream of the view "ops" matches the name files__write.'),
  });
  expect((await ask('files__read_all')).code).toBe(1);
  expect(await ask('files__read_all', '--view', 'constructor')).toMatchObject({ code: 1, stderr: '' });
  expect((await ask('shop__refund', '--as', 'ada')).code).toBe(2);
});

test('gateway explain reads claims as the gateway does, and names as its views do', async () => {
  const file = `
upstreams:
  shop: { url: 'https://shop.acme.example/mcp' }
  files: { command: files-server }
names: { rename: { shop: { find: search } } }
policy:
  - allow: { client: desk, scopes: 'shop:read' }
`;
  const explained = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await inFile(file, 'gateway', 'explain', 'gateway.yaml', ...args, '--json');
    const { upstreams } = JSON.parse(stdout) as { readonly upstreams: readonly Record<string, unknown>[] };
    return upstreams.map(({ name, verdict }) => [name, verdict]);
  };
  for (const claims of ['{"azp":"desk","scp":["shop:read"]}', '{"client_id":"desk","scope":"a shop:read"}'])
    expect(await explained('shop__get', '--as', claims)).toEqual([['get', 'allow']]);
  expect(await explained('shop__get', '--as', '{"azp":"phone","scp":["shop:read"]}')).toEqual([['get', 'deny']]);
  expect(await explained('search')).toEqual([['find', 'deny']]);
  // Callers see the new name only.
  expect(await explained('shop__find')).toEqual([]);
  // Several upstreams share the view, and none of their pages is passed on.
  expect(await explained('ui://shop+orders')).toEqual([]);
  expect(await explained('shop__get', '--view', 'ops')).toEqual([]);
});
