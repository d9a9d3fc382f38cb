/** app() and withApp(): the resource and tool that they define, and mistakes that they report at once. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import type { Client } from '../../client/index.ts';
import { connect } from '../../connect/index.ts';
import { createServer, type Part, reply, resource, type Server, tool } from '../../index.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { memoryTransport } from '../../transport/memory.ts';
import { type AppSpec, app, withApp } from './index.ts';

const html = '<!doctype html><title>Orders</title>';
const uri = 'ui://shop/orders';
const panel = app({ uri, html });
const orders = tool({ name: 'orders', description: 'Lists orders', run: () => 'No orders' });
const serverOf = (...parts: readonly Part[]): Server => createServer({ name: 'shop', version: '1', parts });
const testClient = (server: Server): Promise<Client> => connect(memoryTransport(server));
const textOf = async (...parts: readonly Part[]): Promise<string> => {
  await using client = await testClient(serverOf(...parts));
  return (await client.read(uri)).text;
};

const folder = mkdtempSync(join(tmpdir(), 'mooring-apps-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string, text: string): URL => {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name));
};

describe('an app', () => {
  test('app() with listed: true is in the list of resources, with its settings', async () => {
    verifies('APP-2');
    const listed = app({
      uri,
      title: 'Orders',
      html,
      listed: true,
      load: ['https://*.cdn.example'],
      domain: 'x.host.example',
    });
    await using client = await testClient(serverOf(listed));
    expect(await client.list('resources').all()).toMatchObject([
      {
        uri,
        name: 'Orders',
        title: 'Orders',
        mimeType: 'text/html;profile=mcp-app',
        _meta: { ui: { csp: { resourceDomains: ['https://*.cdn.example'] }, domain: 'x.host.example' } },
      },
    ]);
  });

  test('the HTML of an app comes from text, a file or a function, and a file is read again each time', async () => {
    const url = fileOf('page.html', `${html}1`);
    const fromFile = app({ uri, html: url });
    expect(await textOf(fromFile)).toBe(`${html}1`);
    fileOf('page.html', `${html}2`);
    expect(await textOf(fromFile)).toBe(`${html}2`);
    expect(await textOf(app({ uri, html: async () => `${html}3` }))).toBe(`${html}3`);
  });

  test.each([
    ['<!doctype html><title>x</title>', /^<!doctype html><script>[^<]/],
    [
      '\uFEFF <!DOCTYPE HTML>\n<html lang="en">\n<head>\n<title>x</title>',
      /^\uFEFF <!DOCTYPE HTML>\n<html lang="en">\n<head><script>/,
    ],
    ['<!doctype html>\n<body>', /^<!doctype html>\n<script>/],
  ])('app() with script: true inserts the script before everything in the page: %j', async (page, begin) => {
    const text = await textOf(app({ uri, html: page, script: true }));
    expect(text).toMatch(begin);
    expect(text).toContain('globalThis.connectView=');
    expect(text.replace(/<script>.*?<\/script>/s, '')).toBe(page);
  });

  test.each<[string, Partial<AppSpec<string, unknown>>, string]>([
    ['another scheme', { uri: 'https://shop.example' }, 'ui://'],
    ['no path', { uri: 'ui://' }, 'ui://'],
    ['variables', { uri: 'ui://shop/{id}' }, 'no variables'],
    ['a piece of HTML', { html: '<p>Orders</p>' }, 'begins with <!doctype html>'],
    ['no HTML', { html: undefined as unknown as string }, 'begins with <!doctype html>'],
    ['a file that is missing', { html: pathToFileURL(join(folder, 'missing.html')) }, 'cannot be read'],
    ['a file that is no page', { html: fileOf('x.html', 'x') }, 'begins with <!doctype html>'],
    ['a URL that is no file', { html: new URL('https://shop.example') }, 'file: URL'],
    ['a path', { connect: ['https://api.example/v1'] }, '"connect" has "https://api.example/v1"; write an origin'],
    ['a keyword', { load: ["'unsafe-eval'"] }, '"load" has'],
    ['a wildcard', { frames: ['*'] }, '"frames" has'],
    ['a base', { base: ['http://a.example'] }, '"base" has'],
    ['a permission', { permissions: ['usb' as 'camera'] }, 'ignore'],
    ['a domain', { domain: 'a b' }, 'ignore domain'],
  ])('app() is rejected for %s', (_, spec, why) => {
    verifies('APP-2', 'APP-4');
    expect(() => app({ uri, html, ...spec })).toThrow(why);
  });

  test('invalid HTML of a function is an internal error without details for the caller', async () => {
    verifies('APP-4');
    const errors: unknown[] = [];
    const parts = [app({ uri, html: () => 'secret' })];
    const server = createServer({ name: 's', version: '1', parts, onError: (error) => void errors.push(error) });
    await using client = await testClient(server);
    await expect(client.read(uri)).rejects.toThrow('Internal error');
    expect(String(errors[0])).toContain('begins with <!doctype html>');
  });
});

describe('a tool with an app', () => {
  test('withApp() requires the app on the same server', () => {
    verifies('APP-5');
    expect(() => serverOf(withApp(orders, panel))).toThrow('its app "ui://shop/orders" is missing');
    expect(serverOf(withApp(orders, panel), panel).name).toBe('shop');
  });

  test('withApp() preserves other metadata of the tool', async () => {
    const own = tool({ name: 'own', description: 'd', meta: { 'com.example/a': 1 }, run: () => 'x' });
    await using client = await testClient(serverOf(panel, withApp(own, panel)));
    const [listed] = await client.list('tools').all();
    expect(listed?._meta).toEqual({ 'com.example/a': 1, ui: { resourceUri: uri } });
  });

  test('withApp() rejects a resource that is not an app, and an unknown audience', () => {
    const plain = resource({ uri: 'ui://plain/x', read: () => html });
    expect(() => withApp(orders, plain)).toThrow('is not an app');
    expect(() => withApp(orders, panel, { for: 'user' as 'app' })).toThrow('"for" must be');
  });

  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
  const object = { type: 'object' } as const;
  const mute = [
    ['nothing', tool({ name: 't', description: 'd', run: () => undefined })],
    ['an empty text', tool({ name: 't', description: 'd', run: () => ' ' })],
    ['an image', tool({ name: 't', description: 'd', run: () => image })],
    ['a list of images', tool({ name: 't', description: 'd', run: () => [image] })],
    [
      'a result without text',
      tool({ name: 't', description: 'd', run: () => ({ content: [], structuredContent: {} }) }),
    ],
    [
      'a reply without text',
      tool({ name: 't', description: 'd', output: object, run: () => reply({}, { content: [image] }) }),
    ],
  ] as const;
  const spoken = [
    ['text', tool({ name: 't', description: 'd', run: () => 'x' })],
    ['an object', tool({ name: 't', description: 'd', run: () => ({ a: 1 }) })],
    ['data', tool({ name: 't', description: 'd', output: object, run: () => ({ content: [] }) })],
    ['an image and text', tool({ name: 't', description: 'd', run: () => [image, { type: 'text', text: 'x' }] })],
  ] as const;
  const warningsOf = async (part: (typeof mute | typeof spoken)[number][1], audience?: 'app'): Promise<string[]> => {
    const warnings: string[] = [];
    const options = { onWarning: (warning: string) => void warnings.push(warning), ...(audience && { for: audience }) };
    await using client = await testClient(serverOf(panel, withApp(part, panel, options)));
    await client.call('t');
    await client.call('t');
    return warnings;
  };

  test.each(mute)('a tool with an app warns once if it returns %s', async (_, part) => {
    verifies('APP-8');
    expect(await warningsOf(part)).toEqual([expect.stringContaining('Tool "t" has an app and returned no text')]);
    expect(await warningsOf(part, 'app')).toEqual([]);
  });
  test.each(spoken)('a tool with an app does not warn if it returns %s', async (_, part) => {
    expect(await warningsOf(part)).toEqual([]);
  });
});

test('a server without an app declares no apps', async () => {
  await using client = await testClient(serverOf(orders));
  expect((client.server.capabilities as JsonObject)['extensions']).toSatisfy((value) => !isObject(value));
});

test('app() requires an object', () => {
  expect(() => (app as (spec?: unknown) => unknown)()).toThrow('app({ uri, html }): expected one object');
});
