/** The published example apps of the official extension, in our frame with our bridge, in Chromium. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, connect } from '../../src/connect/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { type HostLab, hostLab, type LabView } from '../browser/host-lab.ts';
import { soon } from './soon.ts';

let lab: HostLab;
beforeAll(async () => {
  lab = await hostLab();
}, 60_000);
afterAll(() => lab.close());

interface ShownApp {
  readonly client: Client;
  readonly view: LabView;
  /** Evaluates an expression in the view. */
  evaluate<T>(expression: string): Promise<T>;
}

interface ListedTool {
  readonly name: string;
  readonly _meta?: { readonly ui: { readonly resourceUri: string } };
}
interface ViewContents {
  readonly text: string;
  readonly _meta?: { readonly ui?: unknown };
}

/** Calls the server's tool, and shows its view with arguments and result. */
async function showApp(name: string, tool: string): Promise<ShownApp> {
  const program = fileURLToPath(new URL(`node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
  const extensions = { 'io.modelcontextprotocol/ui': { settings: { mimeTypes: ['text/html;profile=mcp-app'] } } };
  const client = await connect({ command: process.execPath, args: [program, '--stdio'] }, { extensions });
  const call = (name: string, args: JsonObject): Promise<JsonObject> =>
    client.request('tools/call', { name, arguments: args });
  lab.onCall(({ name, args }) => call(name, args));
  // The examples have a view, as the protocol defines it.
  const { tools } = (await client.request('tools/list')) as { tools: readonly ListedTool[] };
  const uri = tools.find((one) => one.name === tool)?._meta?.ui.resourceUri;
  const { contents } = (await client.request('resources/read', { uri })) as { contents: readonly ViewContents[] };
  const [{ text: html, _meta } = { text: '' }] = contents;
  const result = await call(tool, {});
  const view = await lab.show('', { html, ui: _meta?.ui, bridge: true });
  await view.get(`[view.bridge.input({}), view.bridge.result(${JSON.stringify(result)})]`);
  await view.until<string>('view.bridge.state', (state) => state === 'live');
  const frame = await lab.browser.frame(view.sandboxed.viewUrl);
  return { client, view, evaluate: (expression) => frame.evaluate(expression) };
}

async function closeApp({ client, view }: ShownApp): Promise<void> {
  await view.get('view.bridge.teardown()');
  await view.close();
  await client.close();
}

test('the basic example shows the time of its server, and asks for it again', async () => {
  const shown = await showApp('server-basic-vanillajs', 'get-time');
  const time = (): Promise<string> => shown.evaluate("document.querySelector('#server-time').textContent");
  await soon(async () => expect(await time()).toMatch(/^\d{4}-\d\d-\d\dT/));
  const before = await time();
  await shown.evaluate("document.querySelector('#get-time-btn').click()");
  await soon(async () => expect(await time()).not.toBe(before));
  expect(await shown.view.get('view.asked')).toEqual([['callTool', 'get-time', {}]]);
  await closeApp(shown);
}, 60_000);

test('the budget example draws its chart from the result of its tool, without a network', async () => {
  const shown = await showApp('server-budget-allocator', 'get-budget-data');
  await soon(async () => expect(await shown.evaluate('document.body.innerText')).toContain('Engineering'));
  expect(await shown.evaluate("document.querySelector('canvas').width > 0")).toBe(true);
  expect(await shown.view.get('view.lost')).toEqual([]);
  await closeApp(shown);
}, 60_000);
