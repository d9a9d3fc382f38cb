/** Views in frames in Chromium: what an honest view can do, and how messages of a hostile one are handled. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifies } from '../support/verifies.ts';
import { type HostLab, hostLab, type LabView, type ShowOptions, until } from './host-lab.ts';

let lab: HostLab;
let cdn: Server;
let cdnOrigin: string;
let open: LabView[] = [];
const show = async (script: string, options?: ShowOptions): Promise<LabView> => {
  const view = await lab.show(script, options);
  open.push(view);
  return view;
};

beforeAll(async () => {
  cdn = createServer(({ url }, response) => {
    const headers = { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' };
    if (url === '/lib.js') response.writeHead(302, { location: '/lib-2.js' }).end();
    else response.writeHead(200, headers).end(url === '/api' ? '{"from":"api"}' : "window.library = 'loaded';");
  }).listen(0, '127.0.0.1');
  await once(cdn, 'listening');
  cdnOrigin = `http://127.0.0.1:${(cdn.address() as AddressInfo).port}`; // a TCP server that listens
  lab = await hostLab();
});
afterAll(async () => {
  await lab.close();
  cdn.closeAllConnections();
  cdn.close();
});
beforeEach(() => lab.evil.forget());
afterEach(async () => {
  for (const view of open) await view.close();
  open = [];
});

/** A view that does the handshake, and reports its messages and their senders. */
const polite = `
addEventListener('message', ({ data, source }) => {
  if (source !== parent) return report(['foreign', data]);
  if (data.method === 'ping') return parent.postMessage({ jsonrpc: '2.0', id: data.id, result: {} }, '*');
  report(data.method ?? 'answer ' + data.id);
  if (data.id === 1 && data.result) say('ui/notifications/initialized', {});
});
const hello = () => parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 'v', version: '1' }, appCapabilities: {} } }, '*');
`;
const told = ['answer 1', 'ui/notifications/tool-input', 'ui/notifications/tool-result'];

test('an honest view has inline script, storage, a declared CDN that redirects and a declared API', async () => {
  verifies('APP-12', 'APP-23');
  const ui = { csp: { connectDomains: [cdnOrigin], resourceDomains: [cdnOrigin] } };
  const script = `(async () => {
    const visits = Number(localStorage.getItem('visits') ?? 0) + 1;
    localStorage.setItem('visits', visits);
    if (visits === 1) return location.reload();
    await loads(make('script', { src: '${cdnOrigin}/lib.js' }));
    const { from } = await (await fetch('${cdnOrigin}/api')).json();
    await loads(make('img', { src: 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=' }));
    document.body.innerHTML = '<b style="color: rgb(1, 2, 3)">x</b>';
    report([visits, window.library, from, getComputedStyle(document.querySelector('b')).color]);
  })().catch((error) => report(String(error)))`;
  const view = await show(script, { ui });
  expect(await view.reports(1)).toEqual([[2, 'loaded', 'api', 'rgb(1, 2, 3)']]);
});

test('a permission that was granted reaches the view through both frames, and no other does', async () => {
  verifies('APP-28');
  await lab.browser.command('Browser.grantPermissions', {
    permissions: ['videoCapture', 'audioCapture', 'geolocation'],
  });
  const script = `(async () => {
    await attempt('camera', async () => (await navigator.mediaDevices.getUserMedia({ video: true })).active);
    await attempt('microphone', () => navigator.mediaDevices.getUserMedia({ audio: true }));
  })()`;
  const view = await show(script, { ui: { permissions: { camera: {} } } });
  expect(await view.reports(2)).toEqual([
    ['camera', 'true'],
    ['microphone', 'NotAllowedError'],
  ]);
});

test('the outer frame is sandboxed, has an origin of its own and names what was granted', async () => {
  verifies('APP-20', 'APP-21', 'APP-28');
  const view = await show('report(location.origin)', { ui: { permissions: { geolocation: {} } } });
  const [origin] = await view.reports(1);
  const frame = await view.get<readonly string[]>(
    "[view.container.firstChild].flatMap((f) => [f.getAttribute('sandbox'), f.allow, new URL(f.src).origin])",
  );
  expect(frame).toEqual([
    'allow-scripts allow-same-origin allow-forms',
    'geolocation',
    new URL(view.sandboxed.proxyUrl).origin,
  ]);
  expect(new Set([origin, frame[2], lab.origin]).size).toBe(3);
});

test('a view that is moved in the page or loads itself again is told everything again', async () => {
  const view = await show(
    `${polite} hello(); addEventListener('message', ({ data }) => data.method === 'test/reload' && location.reload())`,
    { bridge: true },
  );
  await view.get('[view.bridge.input({ a: 1 }), view.bridge.result({ content: [] })]');
  expect(await view.reports(3)).toEqual(told);
  await view.get('view.container.replaceChildren(...view.container.childNodes)');
  expect(await view.reports(6)).toEqual([...told, ...told]);
  await view.send({ jsonrpc: '2.0', method: 'test/reload' });
  const all = await view.reports(10);
  expect(all.slice(0, 10)).toEqual([...told, ...told, 'test/reload', ...told]);
});

test('a view is sent nothing before it is initialized', async () => {
  verifies('APP-26');
  const view = await show(`${polite} setTimeout(() => { report('quiet so far'); hello(); }, 500)`, { bridge: true });
  await view.get('view.bridge.input({ a: 1 })');
  expect(await view.reports(3)).toEqual(['quiet so far', 'answer 1', 'ui/notifications/tool-input']);
});

test('messages between proxy and host pass in neither direction', async () => {
  verifies('APP-24');
  const view = await show(`addEventListener('message', ({ data }) => report(data.method));
    for (const name of ['proxy-ready', 'resource-ready', 'anything'])
      for (const method of ['ui/notifications/sandbox-' + name, new String('ui/notifications/sandbox-' + name)]) say(method, { html: 'x' });
    parent.postMessage([{ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready' }], '*');
    parent.postMessage({ jsonrpc: '2.0', id: 7, result: { passed: true } }, '*');
    report('end')`);
  await view.reports(1);
  await view.send({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html: 'y' } });
  await view.send({ jsonrpc: '2.0', method: 'test/passes' });
  expect(await view.reports(2)).toEqual(['end', 'test/passes']);
  expect(await view.get('view.messages.map((one) => one.method ?? one.result)')).toEqual([
    { passed: true },
    'test/report',
    'test/report',
  ]);
});

test('a view speaks for no other frame', async () => {
  const victim = await show(
    "report('here'); addEventListener('message', ({ source }) => source === parent && report('spoofed'))",
  );
  await victim.reports(1);
  const forged = "{ jsonrpc: '2.0', method: 'test/report', params: { data: 'forged' } }";
  const view = await show(`top.postMessage(${forged}, '*');
    for (let i = 0; i < top.length; i++) { top[i].postMessage(${forged}, '*'); top[i].postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready' }, '*'); }
    setTimeout(() => report('end'), 300)`);
  await until<readonly unknown[]>(
    lab.page,
    "strays.filter((one) => one?.params?.data === 'forged')",
    (all) => all.length > 0,
  );
  // Its own proxy forwards messages in its own name.
  expect(await view.reports(2)).toEqual(['forged', 'end']);
  expect(await victim.reports(1)).toEqual(['here']);
});

test('a view that asks before the handshake is refused, and no handler is called', async () => {
  const view = await show(
    `addEventListener('message', ({ data }) => report(data.error.code));
    parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ship', arguments: {} } }, '*')`,
    { bridge: true },
  );
  expect(await view.reports(1)).toEqual([-32_600]);
  expect(await view.get('view.asked')).toEqual([]);
});

test('a flood, a huge message and what is no JSON stay in the process of the proxy', async () => {
  const view = await show(`
    const cycle = { jsonrpc: '2.0', method: 'test/cycle' };
    cycle.cycle = cycle;
    parent.postMessage(cycle, '*');
    say('test/big', { text: 'x'.repeat(3 * 1024 * 1024) });
    say('test/number', { n: 1n });
    for (let i = 0; i < 20000; i++) say('test/flood', { i });
    (async () => { for (;;) { await pause(400); report('alive'); } })()`);
  await view.reports(1);
  const methods = await view.get<readonly string[]>('view.messages.map(({ method }) => method)');
  expect(methods.filter((method) => /big|cycle|number/.test(method))).toEqual([]);
  expect(methods.filter((method) => method === 'test/flood').length).toBeLessThan(2_000);
});

test('a view that ignores its end is gone after two seconds', async () => {
  const view = await show(`${polite} hello()`, { bridge: true });
  await view.reports(1);
  await view.until('view.bridge.state', (state) => state === 'initialized');
  await view.get("view.bridge.teardown('over')");
  expect(await view.get("[view.bridge.state, view.container.querySelectorAll('iframe').length]")).toEqual(['gone', 0]);
});

test('the frame follows the height that a view reports, within bounds', async () => {
  verifies('APP-31');
  const view = await show(`(async () => {
    // Each with the resulting height; the others must have no effect.
    const heights = [[300, 300], [1e9, 5000], [-5], [NaN], ['x'], [420, 420]];
    for (const [height, wanted] of heights) {
      say('ui/notifications/size-changed', { height });
      if (wanted === undefined) await pause(250);
      while (wanted !== undefined && innerHeight !== wanted) await pause(20);
      report(innerHeight);
    }
  })()`);
  expect(await view.reports(6)).toEqual([300, 5000, 5000, 5000, 5000, 420]);
});

test.each([
  ['navigated itself away', 'location = EVIL'],
  ['hangs', 'for (;;);'],
])('a view that %s is noticed and said', async (_name, script) => {
  const view = await show(`${polite} hello(); setTimeout(() => { ${script} }, 2500)`, { bridge: true, hurried: true });
  expect(await view.until<readonly string[]>('view.lost', (lost) => lost.length > 0)).toEqual(['silent']);
  expect(lab.evil.heard).toEqual([]);
});

test('where names below localhost do not resolve, a view is shown without an origin, storage and ways out', async () => {
  const change: ShowOptions['change'] = (view) => ({ ...view, proxyUrl: 'http://no-such-name.invalid/' });
  const view = await show(
    `addEventListener('message', ({ data }) => report(data.method));
    (async () => {
      await attempt('origin', async () => origin);
      await attempt('storage', async () => localStorage.length);
      await attempt('proxy', async () => parent.document.title);
      await attempt('fetch', () => fetch(EVIL));
      await attempt('another view', () => fetch('/'));
    })()`,
    { change },
  );
  expect(await view.reports(5)).toEqual([
    ['origin', 'null'],
    ['storage', 'SecurityError'],
    ['proxy', 'SecurityError'],
    ['fetch', 'TypeError'],
    ['another view', 'TypeError'],
  ]);
  await view.send({ jsonrpc: '2.0', method: 'test/passes' });
  expect((await view.reports(6)).at(-1)).toBe('test/passes');
  const stray = await show("report('before'); setTimeout(() => { location = EVIL }, 0)", { change });
  await stray.reports(1);
  expect(lab.evil.heard).toEqual([]);
});

test('a sandbox that is gone is said', async () => {
  const nowhere = 'http://127.0.0.1:9/';
  const view = await show('', { change: (view) => ({ ...view, proxyUrl: nowhere, plainUrl: nowhere }) });
  expect(await view.until<readonly string[]>('view.lost', (lost) => lost.length > 0)).toEqual(['unreachable']);
});

test('the page of another host shows a view by the messages of the specification alone', async () => {
  verifies('APP-22', 'APP-25');
  const html =
    "<!doctype html><script>parent.postMessage({ method: 'ui/notifications/sandbox-proxy-ready' }, '*'); onmessage = ({ data }) => parent.postMessage({ echo: data }, '*')</script>";
  const { sandboxed } = await show('', { html });
  const script = `new Promise((resolve) => {
    const heard = [];
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
    const { origin } = new URL('${sandboxed.proxyUrl}');
    addEventListener('message', function listen({ data, source }) {
      if (source !== frame.contentWindow) return;
      heard.push(data);
      const say = (message) => frame.contentWindow.postMessage(message, origin);
      if (data.method === 'ui/notifications/sandbox-proxy-ready') {
        say({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html: ${JSON.stringify(html)}, sandbox: 'allow-scripts', csp: {}, permissions: {} } });
        const timer = setInterval(() => heard.length > 1 ? clearInterval(timer) : say({ jsonrpc: '2.0', method: 'test/hello' }), 50);
      } else { frame.remove(); resolve(heard); }
    });
    frame.src = '${sandboxed.proxyUrl}';
    document.body.append(frame);
  })`;
  expect(await lab.page.evaluate(script)).toEqual([
    { jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} },
    { echo: { jsonrpc: '2.0', method: 'test/hello' } },
  ]);
});
