/** A view written with the official package, over our bridge: all messages in both directions. */
import { App } from '@modelcontextprotocol/ext-apps';
import { expect, test } from 'vitest';
import { openBridge } from '../../src/extensions/apps/bridge.ts';
import { verifies } from '../support/verifies.ts';

const text = (said: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: said }],
});
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** A pair of connected in-memory ports. */
function way(): { port: Parameters<typeof openBridge>[0]; transport: Parameters<App['connect']>[0] } {
  let toHost: (message: unknown) => void = () => undefined;
  const transport: NonNullable<Parameters<App['connect']>[0]> = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message) => queueMicrotask(() => toHost(copy(message))),
  };
  const port = {
    send: (message: object) => queueMicrotask(() => transport.onmessage?.(copy(message) as never)), // as it was sent
    onMessage: (listener: (message: unknown) => void) => {
      toHost = listener;
    },
    close: () => undefined,
  };
  return { port, transport };
}

test('a view of the official package works over our bridge', async () => {
  verifies('APP-30', 'APP-37', 'APP-39', 'APP-41', 'APP-44', 'APP-46', 'APP-57');
  const { port, transport } = way();
  const heard: unknown[] = [];
  const said: unknown[] = [];
  const bridge = openBridge(
    port,
    {
      callTool: async (name) => text(`${name} done`),
      readResource: async (uri) => ({ contents: [{ uri, text: 'x' }] }),
      openLink: () => Promise.reject(new Error('no')),
      message: async (message) => void said.push(message),
      updateContext: async (context) => void said.push(context),
      displayMode: async (mode) => mode,
      log: (params) => void said.push(params),
      resized: (size) => void said.push(size),
    },
    {
      hostInfo: { name: 'host', version: '1' },
      hostContext: { theme: 'dark', displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] },
    },
  );
  const app = new App(
    { name: 'view', version: '1' },
    { availableDisplayModes: ['inline', 'fullscreen'] },
    { autoResize: false },
  );
  app.ontoolinput = (params) => void heard.push(params);
  app.ontoolresult = (params) => void heard.push(params);
  app.onhostcontextchanged = (params) => void heard.push(params);
  app.onteardown = async () => {
    heard.push('teardown');
    return {};
  };
  bridge.input({ order: 1 });
  bridge.result(text('shown'));
  await app.connect(transport);
  expect(app.getHostCapabilities()).toMatchObject({ serverTools: {}, serverResources: {}, openLinks: {}, logging: {} });
  expect(app.getHostContext()).toMatchObject({ theme: 'dark' });
  expect(await app.callServerTool({ name: 'ship', arguments: {} })).toMatchObject(text('ship done'));
  expect(await app.readServerResource({ uri: 'x://1' })).toMatchObject({ contents: [{ text: 'x' }] });
  await expect(app.openLink({ url: 'https://a.test' })).rejects.toMatchObject({ code: -32000 });
  await app.sendMessage({ role: 'user', ...text('hi') });
  await app.updateModelContext({ structuredContent: { order: 1 } });
  expect(await app.requestDisplayMode({ mode: 'fullscreen' })).toMatchObject({ mode: 'fullscreen' });
  await app.sendLog({ level: 'info', data: 'x' });
  await app.sendSizeChanged({ width: 10, height: 20 });
  await bridge.teardown();
  expect(heard).toEqual([{ arguments: { order: 1 } }, text('shown'), { displayMode: 'fullscreen' }, 'teardown']);
  expect(said).toEqual([
    { role: 'user', ...text('hi') },
    { structuredContent: { order: 1 } },
    { level: 'info', data: 'x' },
    { width: 10, height: 20 },
  ]);
});
