/** Our apps in a host of the official packages, in Chromium: our server's metadata, and our script in the view. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dashboard } from '../../examples/dashboard.ts';
import { app, withApp } from '../../src/extensions/apps/index.ts';
import { createServer, resource, type Server, tool } from '../../src/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { chromium } from '../browser/chromium.ts';
import { verifies } from '../support/verifies.ts';

/** Uses every feature of a view, and logs the results. */
const page = `<!doctype html><title>Checks</title><p>Checks</p><script type="module">
const mcp = await connectView({ name: 'checks', version: '2.0.0', displayModes: ['inline', 'fullscreen', 'pip'] });
const once = (add) => new Promise((resolve) => add.call(mcp, resolve));
const [partial, input, result, reason, context] = await Promise.all(
  [mcp.onPartialInput, mcp.onInput, mcp.onResult, mcp.onCancelled, mcp.onContext].map(once),
);
const failed = (promise) => promise.then(() => 'no error', (error) => error.message);
const report = {
  partial, input, data: result.data, text: result.text, reason, theme: context.theme, host: mcp.host.name,
  called: (await mcp.call('press', { times: 2 })).data,
  failed: await failed(mcp.call('press', { times: 0 })),
  read: (await mcp.read('deck://log'))[0].text,
  told: await mcp.tell('Hello'),
  remembered: await mcp.remember({ deck: 1 }),
  declined: await failed(mcp.openLink('https://a.example/')),
  pip: await mcp.requestDisplayMode('pip'),
  mode: await mcp.requestDisplayMode('fullscreen'),
  color: getComputedStyle(document.documentElement).getPropertyValue('--color-text-primary'),
};
mcp.onTeardown(() => new Promise((resolve) => setTimeout(resolve, 20)));
mcp.log('info', report);
</script>`;

function checksServer(): Server {
  const panel = app({
    uri: 'ui://checks/all',
    html: page,
    script: true,
    connect: ['https://api.example'],
    permissions: ['clipboardWrite'],
    border: true,
  });
  const look = tool({
    name: 'look',
    description: 'Looks',
    output: { type: 'object' },
    text: () => 'A deck',
    run: () => ({ a: 1 }),
  });
  const press = tool({
    name: 'press',
    description: 'Presses a button',
    input: { type: 'object', properties: { times: { type: 'integer', minimum: 1 } } },
    output: { type: 'object' },
    run: (input) => ({ pressed: input }),
  });
  const log = resource({ uri: 'deck://log', read: () => 'All quiet' });
  const parts = [panel, log, withApp(look, panel), withApp(press, panel, { for: 'app' })];
  return createServer({ name: 'checks', version: '1.0.0', parts });
}

let seen: Record<string, unknown>;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  const { output } = await build({
    input: fileURLToPath(new URL('app-host-page.ts', import.meta.url)),
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    output: { format: 'esm', codeSplitting: false },
  });
  let plan: object = {};
  const told = new Promise<string>((resolve) => {
    const pages = createHttpServer(async (request, response) => {
      if (request.url === '/plan') response.end(JSON.stringify(plan));
      else if (request.url === '/page.js')
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(output[0].code);
      else if (request.url === '/seen') {
        resolve(await text(request));
        response.end();
      } else
        response.writeHead(200, { 'content-type': 'text/html' }).end('<script type="module" src="/page.js"></script>');
    });
    closing.push(() => {
      pages.closeAllConnections();
      pages.close();
    });
    pages.listen(0, '127.0.0.1', () => resolvePort((pages.address() as AddressInfo).port)); // it listens on a port
  });
  const origin = `http://127.0.0.1:${await listening}`;
  const options = { port: 0, allowedOrigins: [origin] };
  const servers = await Promise.all([serveHttp(checksServer(), options), serveHttp(dashboard, options)]);
  closing.push(...servers.map((server) => () => server.close()));
  plan = { checks: servers[0].url, dashboard: servers[1].url };
  const profile = mkdtempSync(join(tmpdir(), 'mooring-app-host-'));
  const bare = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const browser = spawn(chromium(), [...bare, `--user-data-dir=${profile}`, origin], {
    stdio: 'ignore',
    detached: true,
  });
  closing.push(async () => {
    // A browser has many processes.
    if (browser.exitCode === null && browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
    if (browser.exitCode === null && browser.signalCode === null) await once(browser, 'exit');
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  seen = JSON.parse(await told) as Record<string, unknown>; // what the page posts
}, 60_000);
let resolvePort: (port: number) => void = () => undefined;
const listening = new Promise<number>((resolve) => {
  resolvePort = resolve;
});

afterAll(async () => {
  for (const close of closing.splice(0)) await close();
});

test('the page of the official host runs to its end', () => {
  expect(seen['error']).toBeUndefined();
});

test('the official helpers find what our server says about its apps', () => {
  verifies('APP-2', 'APP-3', 'APP-9');
  expect(seen['capabilities']).toEqual({ 'io.modelcontextprotocol/ui': {} });
  expect(seen['uris']).toEqual([
    ['look', 'ui://checks/all', false],
    ['press', 'ui://checks/all', true],
  ]);
  const ui = {
    csp: { connectDomains: ['https://api.example'] },
    permissions: { clipboardWrite: {} },
    prefersBorder: true,
  };
  expect(seen['page']).toEqual({ mimeType: 'text/html;profile=mcp-app', ui: { success: true, data: ui } });
});

test('the official bridge shakes hands with our view', () => {
  verifies('APP-29', 'APP-33');
  expect(seen['app']).toEqual({ name: 'checks', version: '2.0.0' });
  expect(seen['modes']).toEqual({ availableDisplayModes: ['inline', 'fullscreen', 'pip'] });
  expect(seen['sizes']).toBe(true);
  expect(seen['teardown']).toEqual({});
});

test('our view gets and does everything in the official host', () => {
  verifies('APP-34');
  expect(seen['view']).toEqual({
    partial: { deck: 1 },
    input: { deck: 1, side: 'port' },
    data: { a: 1 },
    text: 'A deck',
    reason: 'tired',
    theme: 'dark',
    host: 'their-host',
    called: { pressed: { times: 2 } },
    failed: expect.stringContaining('Invalid arguments'),
    read: 'All quiet',
    declined: 'The host declined',
    pip: 'inline',
    mode: 'fullscreen',
    color: 'rgb(1, 2, 3)',
  });
  expect(seen['message']).toEqual({ role: 'user', content: [{ type: 'text', text: 'Hello' }] });
  expect(seen['context']).toEqual({ structuredContent: { deck: 1 } });
  expect(seen['link']).toEqual({ url: 'https://a.example/' });
});

test('the dashboard of the examples works in the official host', () => {
  expect(seen['dashboard']).toEqual({
    days: ['Monday: 20.5', 'Tuesday: 30'],
    detail: 'Monday: 12.5, 8',
    theme: 'dark',
    color: 'rgb(1, 2, 3)',
    context: { structuredContent: { selectedDay: 'Monday' } },
  });
});
