/** The outer frame of a view, in a simulated page. test/browser runs it in real browsers. */
import { afterEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { type MountOptions, mountView } from './frame.ts';

const PROXY = 'http://v-1.localhost:4000';
const PLAIN = 'http://127.0.0.1:4000';
const view = { proxyUrl: `${PROXY}/`, plainUrl: `${PLAIN}/v-1/`, allow: 'camera' };
const ready = { jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} };
const hello = { jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: {} };
const initialized = { jsonrpc: '2.0', method: 'ui/notifications/initialized' };

/** The part of an iframe that the port uses. */
class FakeFrame extends EventTarget {
  readonly sent: [message: JsonObject, target: string][] = [];
  readonly attributes: Map<string, string> = new Map();
  readonly style: Record<string, string> = {};
  readonly visited: string[] = [];
  readonly proxy = { postMessage: (message: JsonObject, target: string) => void this.sent.push([message, target]) };
  contentWindow: object | null = this.proxy;
  title = '';
  isShown = false;

  set src(url: string) {
    this.visited.push(url);
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  remove(): void {
    this.isShown = false;
  }
  /** The last ping, which a view answers with its id. */
  get pinged(): unknown {
    return this.sent.findLast(([{ method }]) => method === 'ping')?.[0]['id'];
  }
}

function mounted(options: MountOptions = {}) {
  const [clock, page, frame] = [virtualClock(), new EventTarget(), new FakeFrame()];
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
  const container = {
    ownerDocument: { createElement: () => frame },
    append: () => {
      frame.isShown = true;
    },
  };
  const lost: string[] = [];
  const heard: unknown[] = [];
  const port = mountView(container as unknown as Element, view, {
    ...{ clock, onLost: (why) => void lost.push(why), ...options },
  }); // all that it uses
  port.onMessage((message) => void heard.push(message));
  /** A message of any window; by default of the proxy, from its own origin. */
  const say = (data: unknown, { source = frame.proxy as object | null, origin = PROXY } = {}): void =>
    void page.dispatchEvent(Object.assign(new Event('message'), { data, source, origin }));
  const load = (): boolean => frame.dispatchEvent(new Event('load'));
  return { clock, frame, port, lost, heard, say, load };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a frame shows the proxy, with what was granted to the view and no more', () => {
  const { frame } = mounted({ title: 'Orders' });
  expect([frame.isShown, frame.visited, frame.title]).toEqual([true, [view.proxyUrl], 'Orders']);
  expect(Object.fromEntries(frame.attributes)).toEqual({
    sandbox: 'allow-scripts allow-same-origin allow-forms',
    allow: 'camera',
  });
  expect(mounted().frame.title).toBe('View');
});

const inner = { name: 'the view inside of the proxy' };
test.each<[string, { readonly source?: object | null; readonly origin?: string }]>([
  ['the view itself, which names the origin of the proxy', { source: inner }],
  ['no window', { source: null }],
  ['the window of the frame, when it shows a page of another origin', { origin: 'https://evil.example' }],
  ['the window of the frame, when it shows a page without an origin', { origin: 'null' }],
  ['the window of the frame, at the address that is tried next', { origin: PLAIN }],
  ['the window of the frame, at the same name with another port', { origin: 'http://v-1.localhost:4001' }],
])('a message of %s is ignored', (_, from) => {
  const { frame, say, heard } = mounted();
  for (const message of [ready, hello]) say(message, from);
  expect([heard, frame.sent]).toEqual([[], []]);
  for (const message of [ready, hello]) say(message);
  expect([heard, frame.sent.length]).toEqual([[hello], 1]);
});

test('a frame without a window ignores all messages, also those without a source', () => {
  const { frame, say, heard } = mounted();
  frame.contentWindow = null;
  for (const source of [null, frame.proxy]) say(hello, { source });
  expect(heard).toEqual([]);
});

test('a message that is not an object, or has the prefix of the proxy, is ignored', () => {
  const { say, heard, frame } = mounted();
  const sandbox = ['resource-ready', 'anything'].map((name) => ({ method: `ui/notifications/sandbox-${name}` }));
  for (const data of [undefined, null, 'text', 7, [hello], ...sandbox]) say(data);
  expect([heard, frame.sent]).toEqual([[], []]);
  const own = { method: 'my/ui/notifications/sandbox-anything' };
  say({ id: 1, result: {} });
  say(own);
  expect(heard).toEqual([{ id: 1, result: {} }, own]);
});

test('the view is loaded whenever the proxy sends ready, and messages go to the origin of the proxy only', () => {
  const { frame, port, say } = mounted();
  say(ready);
  say(ready);
  port.send({ jsonrpc: '2.0', method: 'test/secret' });
  const load = { jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html: '' } };
  expect(frame.sent).toEqual([
    [load, PROXY],
    [load, PROXY],
    [{ jsonrpc: '2.0', method: 'test/secret' }, PROXY],
  ]);
  frame.contentWindow = null;
  port.send({ jsonrpc: '2.0', method: 'test/late' });
  expect(frame.sent).toHaveLength(3);
});

test('a proxy that is not ready within three seconds is tried at the plain URL, and then reported as unreachable', async () => {
  const { frame, port, clock, lost, say, load, heard } = mounted();
  await clock.advance(60_000);
  expect(frame.visited).toHaveLength(1);
  load();
  await clock.advance(2_999);
  expect(frame.visited).toHaveLength(1);
  await clock.advance(1);
  expect([frame.visited, lost]).toEqual([[view.proxyUrl, view.plainUrl], []]);
  // From now on, messages come from the plain URL.
  say(hello);
  say(hello, { origin: PLAIN });
  port.send({});
  expect([heard, frame.sent]).toEqual([[hello], [[{}, PLAIN]]]);
  load();
  await clock.advance(3_000);
  expect([frame.visited.length, lost]).toEqual([2, ['unreachable']]);
});

test('a proxy that sends ready after each reload is kept', async () => {
  const { frame, clock, say, load, lost } = mounted();
  for (const _ of [1, 2]) {
    say(ready);
    load();
    await clock.advance(3_000);
  }
  expect([frame.visited.length, lost]).toEqual([1, []]);
  // Loaded a third time, it is another page.
  load();
  await clock.advance(1_000);
  load();
  await clock.advance(2_999);
  expect(frame.visited).toHaveLength(1);
  await clock.advance(1);
  expect(frame.visited).toHaveLength(2);
});

test('a view that answered pings and then sends nothing is reported as silent once, until it sends again', async () => {
  const { frame, clock, say, lost } = mounted();
  const answer = (): void => say({ jsonrpc: '2.0', id: frame.pinged, result: {} });
  say(initialized);
  answer();
  await clock.advance(10_000);
  expect(lost).toEqual([]);
  await clock.advance(9_999);
  expect(lost).toEqual([]);
  await clock.advance(1);
  await clock.advance(20_000);
  expect(lost).toEqual(['silent']);
  answer();
  await clock.advance(10_000);
  expect(lost).toEqual(['silent']);
  await clock.advance(10_000);
  expect(lost).toEqual(['silent', 'silent']);
});

test('a view that hangs after another message is reported as silent too', async () => {
  const { frame, clock, say, lost } = mounted();
  say(initialized);
  say({ jsonrpc: '2.0', id: frame.pinged, result: {} });
  say({ jsonrpc: '2.0', id: 7, method: 'tools/call' });
  await clock.advance(20_000);
  expect(lost).toEqual(['silent']);
});

test('a view that sends initialized twice is not pinged more often', async () => {
  const { frame, clock, say } = mounted();
  for (const _ of [1, 2]) say(initialized);
  const before = frame.sent.length;
  await clock.advance(10_000);
  expect(frame.sent).toHaveLength(before + 1);
});

test('a view that never answered a ping is not reported as silent', async () => {
  const { clock, say, lost } = mounted();
  say(initialized);
  // These are no answers to a ping.
  for (const message of [
    { id: 'frame-ping-1', method: 'x' },
    { id: 1, result: {} },
    { id: 'ping', result: {} },
  ])
    say({ jsonrpc: '2.0', ...message });
  await clock.advance(60_000);
  expect(lost).toEqual([]);
});

test('responses to pings are not forwarded, each ping has a unique id, and other messages are forwarded', async () => {
  const { frame, clock, say, heard } = mounted();
  say(initialized);
  const first = frame.pinged;
  say({ jsonrpc: '2.0', id: first, result: {} });
  await clock.advance(10_000);
  expect(frame.pinged).not.toBe(first);
  const others = [7, `my-${String(first)}`].map((id) => ({ jsonrpc: '2.0', id, result: {} }));
  for (const one of others) say(one);
  expect(heard).toEqual([initialized, ...others]);
});

test('a frame works without onLost', async () => {
  const { frame, clock, say, load } = mounted({ onLost: undefined } as unknown as MountOptions); // in place of the one above
  load();
  await clock.advance(3_000);
  load();
  await clock.advance(3_000);
  expect(frame.visited).toHaveLength(2);
  say(ready, { origin: PLAIN });
  say(initialized, { origin: PLAIN });
  say({ jsonrpc: '2.0', id: frame.pinged, result: {} }, { origin: PLAIN });
  const before = frame.pinged;
  await clock.advance(20_000);
  expect(frame.pinged).not.toBe(before);
});

test.each([
  ['is loaded again', ready],
  ['introduces itself again', hello],
])('a view that %s gets no ping until it is initialized', async (_, message) => {
  const { frame, clock, say } = mounted();
  await clock.advance(60_000);
  expect(frame.pinged).toBeUndefined();
  say(initialized);
  say(message);
  const before = frame.pinged;
  await clock.advance(60_000);
  expect(frame.pinged).toBe(before);
  say(initialized);
  expect(frame.pinged).not.toBe(before);
});

test('the frame gets the height that the view reports', async () => {
  const { frame, clock, say } = mounted();
  const sized = (params: unknown): void => say({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params });
  for (const params of [undefined, 'x', { width: 30 }]) {
    sized(params);
    await clock.advance(100);
  }
  expect(frame.style).toEqual({ border: '0', display: 'block', width: '100%' });
  sized({ height: 300 });
  expect(frame.style['height']).toBe('300px');
  await clock.advance(1_000);
  say({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { height: 900 } });
  await clock.advance(1_000);
  expect(frame.style['height']).toBe('300px');
});

test('a size that a view reported before the end is not applied after it', async () => {
  const { frame, port, clock, say } = mounted();
  for (const height of [300, 400]) say({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height } });
  port.close();
  await clock.advance(1_000);
  expect(frame.style['height']).toBe('300px');
});

test('close() removes the frame, its listeners and its timers', async () => {
  const { frame, port, clock, say, load, heard, lost } = mounted();
  load();
  say(initialized);
  say({ jsonrpc: '2.0', id: frame.pinged, result: {} });
  const sent = frame.sent.length;
  port.close();
  say(hello);
  await clock.advance(60_000);
  expect([frame.isShown, heard, frame.sent.length, frame.visited.length, lost]).toEqual([
    ...[false, [initialized], sent, 1, []],
  ]);
});
