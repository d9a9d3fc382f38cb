/** A host page made of the official packages: connects to our server, shows its apps, and reports what it saw. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  AppBridge,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  McpUiResourceMetaSchema,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge';

const seen: Record<string, unknown> = {};
const { checks, dashboard } = (await (await fetch('/plan')).json()) as Record<string, string>; // our own server
const mimeTypes = ['text/html;profile=mcp-app'];

async function connected(url = ''): Promise<Client> {
  const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes } } };
  const client = new Client({ name: 'their-host', version: '1.0.0' }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** A frame with the app of a tool, connected to the bridge before its page loads. */
async function shown(client: Client, tool: string, sandbox: string) {
  const { tools } = await client.listTools();
  const found = tools.find(({ name }) => name === tool);
  const uri = found === undefined ? undefined : getToolUiResourceUri(found);
  const { contents } = await client.readResource({ uri: uri ?? '' });
  const [page] = contents;
  if (page === undefined || !('text' in page)) throw new Error('The app has no text');
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', sandbox);
  document.body.append(frame);
  if (frame.contentWindow === null) throw new Error('The frame has no window');
  const hostCapabilities = { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} };
  const hostContext = {
    theme: 'dark' as const,
    displayMode: 'inline' as const,
    availableDisplayModes: ['inline' as const, 'fullscreen' as const],
    styles: { variables: { '--color-text-primary': 'rgb(1, 2, 3)' } as never }, // hosts pass only some of them
  };
  const bridge = new AppBridge(client, { name: 'their-host', version: '1.0.0' }, hostCapabilities, { hostContext });
  const ready = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  const start = (): void => {
    frame.srcdoc = page.text;
  };
  return { tools, page, frame, bridge, ready, start };
}

async function everything(): Promise<void> {
  const client = await connected(checks);
  const { tools, page, bridge, ready, start } = await shown(client, 'look', 'allow-scripts');
  seen['capabilities'] = client.getServerCapabilities()?.extensions;
  seen['uris'] = tools.map((tool) => [tool.name, getToolUiResourceUri(tool), isToolVisibilityAppOnly(tool)]);
  seen['page'] = { mimeType: page.mimeType, ui: McpUiResourceMetaSchema.safeParse(page._meta?.['ui']) };
  const sizes: unknown[] = [];
  bridge.onsizechange = (size) => void sizes.push(size);
  bridge.onmessage = async (message) => {
    seen['message'] = message;
    return {};
  };
  bridge.onopenlink = async (link) => {
    seen['link'] = link;
    return { isError: true };
  };
  bridge.onupdatemodelcontext = async (context) => {
    seen['context'] = context;
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => ({ mode });
  const reported = new Promise<void>((resolve) => {
    bridge.onloggingmessage = ({ data }) => {
      seen['view'] = data;
      resolve();
    };
  });
  start();
  await ready;
  seen['app'] = bridge.getAppVersion();
  seen['modes'] = bridge.getAppCapabilities();
  await bridge.sendToolInputPartial({ arguments: { deck: 1 } });
  await bridge.sendToolInput({ arguments: { deck: 1, side: 'port' } });
  // The official client's type of a result is wider than the bridge's.
  await bridge.sendToolResult((await client.callTool({ name: 'look', arguments: {} })) as never);
  await bridge.sendToolCancelled({ reason: 'tired' });
  await reported;
  seen['teardown'] = await bridge.teardownResource({});
  seen['sizes'] = sizes.length > 0 && sizes.every((one) => Number((one as { height: number }).height) > 0); // by its schema
}

/** The example app: its frame shows bars, and a click shows a day. */
async function example(): Promise<void> {
  const client = await connected(dashboard);
  const { frame, bridge, ready, start } = await shown(client, 'sales', 'allow-scripts allow-same-origin');
  const remembered = new Promise<unknown>((resolve) => {
    bridge.onupdatemodelcontext = async (context) => {
      resolve(context);
      return {};
    };
  });
  start();
  await ready;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult((await client.callTool({ name: 'sales', arguments: {} })) as never); // as above
  const days = (): HTMLButtonElement[] => [...(frame.contentDocument?.querySelectorAll('button') ?? [])];
  while (days().length === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
  days()[0]?.click();
  const context = await remembered;
  const root = frame.contentDocument?.documentElement;
  seen['dashboard'] = {
    days: days().map(({ textContent }) => textContent),
    detail: frame.contentDocument?.getElementById('detail')?.textContent,
    theme: root?.dataset['theme'],
    color: root === undefined ? undefined : getComputedStyle(root.ownerDocument.body).color,
    context,
  };
}

try {
  await everything();
  await example();
} catch (thrown) {
  seen['error'] = String(thrown);
}
await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });
