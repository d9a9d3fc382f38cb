/** A host page in Chromium with a sandbox, and an evil server. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { sandboxServer } from '../../src/extensions/apps/sandbox-node.ts';
import type { SandboxedView, SandboxServer } from '../../src/extensions/apps/sandbox-types.ts';
import { readViewSettings } from '../../src/extensions/apps/view-policy.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { type Browser, type BrowserPage, startBrowser } from './devtools.ts';
import { type EvilServer, evilServer } from './evil-server.ts';

export interface LabView {
  readonly sandboxed: SandboxedView;
  /** Reports of its script by `report(…)`, once there are `count`. */
  reports(count: number): Promise<readonly unknown[]>;
  /** Evaluates an expression about `view` until the result satisfies `holds`. */
  until<T>(expression: string, holds: (value: T) => boolean): Promise<T>;
  get<T>(expression: string): Promise<T>;
  /** Posts a message to the proxy, as the host page. */
  send(message: object): Promise<void>;
  close(): Promise<void>;
}

export interface HostLab {
  readonly page: BrowserPage;
  readonly browser: Browser;
  readonly evil: EvilServer;
  readonly sandbox: SandboxServer;
  readonly origin: string;
  /** Handles calls of views. */
  onCall(run: ToolCaller): void;
  /** Shows a view with this script, and metadata as a server would write it. */
  show(script: string, options?: ShowOptions): Promise<LabView>;
  close(): Promise<void>;
}

export type ToolCaller = (call: { readonly name: string; readonly args: JsonObject }) => Promise<unknown>;

export interface ShowOptions {
  readonly ui?: unknown;
  readonly head?: string;
  readonly body?: string;
  readonly bridge?: boolean;
  /** Polls every second whether the view is alive. */
  readonly hurried?: boolean;
  readonly relaxed?: boolean;
  /** Changes the description of the sandbox for the page. */
  readonly change?: (view: SandboxedView) => SandboxedView;
  readonly html?: string;
}

/** Runs before every script of a view: `report` sends an event to the host, `attempt` the outcome of an attack. */
const prelude = (evil: number): string => `
const EVIL = 'http://127.0.0.1:${evil}';
const say = (method, params) => parent.postMessage({ jsonrpc: '2.0', method, params }, '*');
const report = (data) => say('test/report', { data });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const attempt = async (name, run) => {
  try {
    const value = await Promise.race([run(), pause(5000).then(() => 'nothing happened')]);
    report([name, value === undefined ? 'done' : String(value)]);
  } catch (error) { report([name, error.name ?? 'Error']); }
};
const loads = (element, into = document.body) => new Promise((resolve, reject) => {
  element.onload = () => resolve('loaded');
  element.onerror = () => reject(Object.assign(new Error(), { name: 'blocked' }));
  into.append(element);
});
const make = (tag, attributes) => Object.assign(document.createElement(tag), attributes);
`;

export async function hostLab(...flags: readonly string[]): Promise<HostLab> {
  const evil = await evilServer();
  const code = await bundlePage(new URL('host-page.ts', import.meta.url));
  const html = `<!doctype html><title>Host</title><body><script type="module">${code}</script></body>`;
  let callTool: ToolCaller = () => Promise.reject(new Error('No server has tools in this test'));
  const server = createServer((request, response) => {
    if (request.url === '/call')
      text(request)
        .then((body) => callTool(JSON.parse(body)))
        .then(
          (result) => response.end(JSON.stringify(result)),
          () => response.destroy(),
        );
    else response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`; // a TCP server that listens
  const sandbox = await sandboxServer();
  const browser = await startBrowser(...flags);
  const page = await browser.open(origin);
  await until(page, 'typeof show', (value) => value === 'function');
  let last = 0;
  return {
    page,
    browser,
    evil,
    sandbox,
    origin,
    onCall(run) {
      callTool = run;
    },
    async show(script, options = {}) {
      const name = `view-${++last}`;
      const whole = `<!doctype html><html><head><title>${name}</title>${options.head ?? ''}</head><body>${options.body ?? ''}
<script>${prelude(evil.port)}</script><script>${script}</script></body></html>`;
      const { bridge = false, hurried = false } = options;
      const { settings } = readViewSettings(options.ui);
      const source = { html: options.html ?? whole, settings, ...(options.relaxed === true ? { relaxed: true } : {}) };
      const sandboxed = sandbox.open(source, origin);
      const told = JSON.stringify(options.change?.(sandboxed) ?? sandboxed);
      await page.evaluate(`show(${JSON.stringify(name)}, ${told}, ${JSON.stringify({ bridge, hurried })})`);
      return labView(page, name, sandboxed);
    },
    async close() {
      await browser.close();
      await Promise.all([sandbox.close(), evil.close(), closeAll(server)]);
    },
  };
}

function labView(page: BrowserPage, name: string, sandboxed: SandboxedView): LabView {
  const of = `shown.get(${JSON.stringify(name)})`;
  const reported = `${of}.messages.filter((one) => one.method === 'test/report').map((one) => one.params.data)`;
  const inView = (expression: string): string => `((view) => ${expression})(${of})`;
  return {
    sandboxed,
    reports: (count) => until<readonly unknown[]>(page, reported, (all) => all.length >= count),
    until: (expression, holds) => until(page, inView(expression), holds),
    get: (expression) => page.evaluate(inView(expression)),
    async send(message) {
      const frame = '[view.container.firstChild].map(({ contentWindow, src }) => [contentWindow, new URL(src).origin])';
      await page.evaluate(
        inView(`${frame}.forEach(([to, origin]) => to.postMessage(${JSON.stringify(message)}, origin))`),
      );
    },
    async close() {
      await page.evaluate(`${of}.close()`);
      sandboxed.close();
    },
  };
}

/** Evaluates an expression until it satisfies. The timeout only tells slow from never. */
export async function until<T>(page: BrowserPage, expression: string, holds: (value: T) => boolean): Promise<T> {
  const end = performance.now() + 50_000;
  for (;;) {
    const value = await page.evaluate<T>(expression);
    if (holds(value)) return value;
    if (performance.now() > end) throw new Error(`${expression} stayed ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Bundles a program for pages. */
async function bundlePage(entry: URL): Promise<string> {
  const { output } = await build({
    input: fileURLToPath(entry),
    platform: 'browser',
    write: false,
    output: { format: 'esm', codeSplitting: false },
  });
  return output[0].code.replaceAll('</script', '<\\/script');
}

async function closeAll(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
