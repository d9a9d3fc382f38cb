/** `mooring/view` with a simulated host. test/interop and test/browser run it in real browsers. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { soon } from '../../../test/support/soon.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { type ConnectedView, connectView, type ViewOptions } from './view.ts';

const HOST = 'https://host.example';
const context = { theme: 'dark', displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'], locale: 'de' };

/** The page around the view: what it was sent, and what it says. */
class FakeHost {
  readonly got: { message: JsonObject; target: string }[] = [];
  readonly page = { scrollHeight: 40, scrollWidth: 300 };
  resized: () => void = () => undefined;
  readonly root = { dataset: {} as Record<string, string>, style: { colorScheme: '', setProperty: vi.fn() } };
  #listener: (event: object) => void = () => undefined;
  readonly window = {
    postMessage: (message: JsonObject, target: string) => void this.got.push({ message, target }),
  };

  constructor() {
    const { root, page } = this;
    vi.stubGlobal('parent', this.window);
    vi.stubGlobal('window', {});
    vi.stubGlobal('addEventListener', (_: string, listener: (event: object) => void) => {
      this.#listener = listener;
    });
    const documentElement = Object.defineProperty(root, 'scrollWidth', { get: () => page.scrollWidth });
    vi.stubGlobal('document', { readyState: 'complete', body: page, documentElement });
    vi.stubGlobal('getComputedStyle', () => ({ marginTop: '8px', marginBottom: '' }));
    const resize = (callback: () => void): void => {
      this.resized = callback;
    };
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(callback: () => void) {
          resize(callback);
        }
        observe(): void {}
      },
    );
  }

  say(message: JsonObject, { source = this.window as object, origin = HOST } = {}): void {
    this.#listener({ source, origin, data: { jsonrpc: '2.0', ...message } });
  }
  notify(method: string, params: JsonObject): void {
    this.say({ method: `ui/notifications/${method}`, params });
  }

  sent(method: string): readonly JsonObject[] {
    return this.got.filter(({ message }) => message['method'] === method).map(({ message }) => message);
  }
  /** Answers the last request of a method. */
  async answer(method: string, result: JsonObject, error?: JsonObject): Promise<JsonObject> {
    await soon(() => expect(this.sent(method)).not.toEqual([]));
    const { id, params } = this.sent(method).at(-1) ?? {};
    this.say({ id, ...(error === undefined ? { result } : { error }) });
    return params as JsonObject; // as every message here has
  }

  async connect(more: Partial<ViewOptions> = {}, hostContext: JsonObject = context): Promise<ConnectedView> {
    const view = connectView({ name: 'orders', version: '1.0.0', ...more });
    const hostCapabilities = { openLinks: {} };
    await this.answer('ui/initialize', { hostInfo: { name: 'h', version: '2' }, hostCapabilities, hostContext });
    return view;
  }
}

let host: FakeHost;
beforeEach(() => {
  vi.useFakeTimers();
  host = new FakeHost();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
const heard = <T>(add: (listener: (value: T) => void) => void): T[] => {
  const values: T[] = [];
  add((value) => void values.push(value));
  return values;
};
const settled = (): Promise<void> => Promise.resolve();

test('a view introduces itself with the display modes it has, and says when it is ready', async () => {
  verifies('APP-29', 'APP-33');
  const view = await host.connect({ displayModes: ['inline', 'pip'] });
  expect(host.got.map(({ message }) => message)).toEqual([
    {
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'ui/initialize',
      params: {
        protocolVersion: '2026-01-26',
        appInfo: { name: 'orders', version: '1.0.0' },
        appCapabilities: { availableDisplayModes: ['inline', 'pip'] },
      },
    },
    { jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} },
  ]);
  expect([view.host, view.capabilities, view.context]).toEqual([
    { name: 'h', version: '2' },
    { openLinks: {} },
    context,
  ]);
});

test('connectView() rejects outside of a frame, and if the host does not respond', async () => {
  vi.stubGlobal('window', host.window);
  await expect(connectView({ name: 'n', version: '1' })).rejects.toThrow('not in a host');
  vi.stubGlobal('window', {});
  const view = connectView({ name: 'n', version: '1' });
  const late = expect(view).rejects.toThrow('did not answer ui/initialize within 30 seconds');
  await vi.advanceTimersByTimeAsync(30_000);
  await late;
});

test('a view exchanges messages only with the parent window, and after the handshake only with its origin', async () => {
  const view = await host.connect();
  const results = heard(view.onResult);
  host.say({ method: 'ui/notifications/tool-result', params: { content: [] } }, { source: {} });
  host.say({ method: 'ui/notifications/tool-result', params: { content: [] } }, { origin: 'https://evil.example' });
  await settled();
  expect(results).toEqual([]);
  view.log('info', 'x');
  expect(host.got.map(({ target }) => target)).toEqual(['*', HOST, HOST]);
});

test('a listener that is added late gets the last values, in order', async () => {
  const view = await host.connect();
  host.notify('tool-input-partial', { arguments: { a: 1 } });
  host.notify('tool-input', { arguments: { a: 1, b: 2 } });
  host.notify('tool-result', {
    content: [{ type: 'text', text: 'done' }],
    structuredContent: { c: 3 },
    _meta: { m: 1 },
  });
  const all: unknown[] = [];
  // Partial input is not replayed after the complete input.
  view.onPartialInput((args) => all.push(['partial', args]));
  view.onInput((args) => all.push(['input', args]));
  view.onResult((result) => all.push(['result', result]));
  view.onCancelled((reason) => all.push(['cancelled', reason]));
  await settled();
  const content = [{ type: 'text', text: 'done' }];
  expect(all).toEqual([
    ['input', { a: 1, b: 2 }],
    ['result', { data: { c: 3 }, text: 'done', content, isError: false, meta: { m: 1 } }],
  ]);
  host.notify('tool-cancelled', { reason: 'the user' });
  host.notify('tool-cancelled', {});
  await settled();
  expect(all.slice(2)).toEqual([
    ['cancelled', 'the user'],
    ['cancelled', undefined],
  ]);
});

test('partial arguments reach the listener while the model writes them', async () => {
  const view = await host.connect();
  host.notify('tool-input-partial', { arguments: { a: 1 } });
  const partial = heard(view.onPartialInput);
  await settled();
  host.notify('tool-input-partial', { arguments: { a: 12 } });
  host.notify('tool-input-partial', {});
  await settled();
  expect(partial).toEqual([{ a: 1 }, { a: 12 }, {}]);
});

test.each([
  [
    {
      content: [
        { type: 'text', text: 'Two ships' },
        { type: 'text', text: '{"ships":2}' },
      ],
    },
    { ships: 2 },
  ],
  [{ content: [{ type: 'text', text: '{not json' }] }, undefined],
  [{ content: 'odd' }, undefined],
  [{}, undefined],
])('data of a revision without structured content is read from the last text: %j', async (result, data) => {
  const view = await host.connect();
  const results = heard(view.onResult);
  host.notify('tool-result', result);
  await settled();
  expect(results[0]?.data).toEqual(data);
});

test('changes of the context are merged, and its theme, variables and fonts are applied to the document', async () => {
  verifies('APP-32');
  const styles = { variables: { '--font-sans': 'X', color: 'red', '--gone': null } };
  const view = await host.connect({}, { ...context, styles });
  const contexts = heard(view.onContext);
  expect(host.root.dataset['theme']).toBe('dark');
  expect(host.root.style.setProperty.mock.calls).toEqual([
    ['--font-sans', 'X'],
    ['--gone', null],
  ]);
  host.notify('host-context-changed', { theme: 'light' });
  await settled();
  expect(contexts).toEqual([
    { ...context, styles },
    { ...context, styles, theme: 'light' },
  ]);
  expect([host.root.dataset['theme'], host.root.style.colorScheme]).toEqual(['light', 'light']);
});

describe('what a view asks for', () => {
  test('a view can call a tool, whose failure is an error with its text', async () => {
    const view = await host.connect();
    const call = view.call('ship', { order: 7 });
    expect(await host.answer('tools/call', { content: [], structuredContent: { ok: true } })).toEqual({
      name: 'ship',
      arguments: { order: 7 },
    });
    expect(await call).toMatchObject({ data: { ok: true } });
    const failing = expect(view.call('ship')).rejects.toThrow('out of stock');
    await host.answer('tools/call', { isError: true, content: [{ type: 'text', text: 'out of stock' }] });
    await failing;
  });

  test('a view can read a resource, send a message and a context, and open a link', async () => {
    const view = await host.connect();
    const read = view.read('orders://7');
    expect(await host.answer('resources/read', { contents: [{ uri: 'orders://7', text: 'x' }] })).toEqual({
      uri: 'orders://7',
    });
    expect(await read).toEqual([{ uri: 'orders://7', text: 'x' }]);
    const asked: [Promise<void>, string, JsonObject][] = [
      [view.tell('Shipped'), 'ui/message', { role: 'user', content: [{ type: 'text', text: 'Shipped' }] }],
      [view.remember({ order: 7 }), 'ui/update-model-context', { structuredContent: { order: 7 } }],
      [view.openLink('https://a.example'), 'ui/open-link', { url: 'https://a.example' }],
    ];
    for (const [done, method, params] of asked) {
      expect(await host.answer(method, {})).toEqual(params);
      await done;
    }
    void view.remember('Order 7');
    expect(host.sent('ui/update-model-context').at(-1)?.['params']).toEqual({
      content: [{ type: 'text', text: 'Order 7' }],
    });
    void view.remember();
    expect(host.sent('ui/update-model-context').at(-1)?.['params']).toEqual({});
  });

  test('an error of the host, and a result with isError, reject the call', async () => {
    const view = await host.connect();
    const first = expect(view.tell('x')).rejects.toMatchObject({ message: 'Denied', code: -32000 });
    await host.answer('ui/message', {}, { code: -32000, message: 'Denied' });
    await first;
    const second = expect(view.openLink('https://a.example')).rejects.toThrow('declined');
    await host.answer('ui/open-link', { isError: true });
    await second;
  });

  test('a view can request a display mode that the host offers, and gets the granted one', async () => {
    verifies('APP-34', 'APP-35');
    const view = await host.connect({ displayModes: ['inline', 'fullscreen', 'pip'] });
    expect(await view.requestDisplayMode('pip')).toBe('inline');
    expect(host.sent('ui/request-display-mode')).toEqual([]);
    const refused = view.requestDisplayMode('fullscreen');
    await host.answer('ui/request-display-mode', { mode: 'inline' });
    expect(await refused).toBe('inline');
    const granted = view.requestDisplayMode('fullscreen');
    await host.answer('ui/request-display-mode', { mode: 'fullscreen' });
    expect([await granted, view.context.displayMode]).toEqual(['fullscreen', 'fullscreen']);
    const inline = await host.connect();
    await expect(inline.requestDisplayMode('pip')).rejects.toThrow('displayModes');
  });
});

test('a view answers ping, and teardown after its listeners, and rejects other methods', async () => {
  const view = await host.connect();
  const before = host.got.length;
  let saved: () => void = () => undefined;
  view.onTeardown(() => new Promise<void>((resolve) => (saved = resolve)));
  host.say({ id: 'p', method: 'ping' });
  await soon(() => expect(host.got).toHaveLength(before + 1));
  host.say({ id: 't', method: 'ui/resource-teardown', params: { reason: 'closed' } });
  host.say({ id: 'u', method: 'tools/list' });
  await soon(() => expect(host.got).toHaveLength(before + 2));
  saved();
  await soon(() => expect(host.got).toHaveLength(before + 3));
  expect(host.got.slice(before).map(({ message }) => message)).toEqual([
    { jsonrpc: '2.0', id: 'p', result: {} },
    { jsonrpc: '2.0', id: 'u', error: { code: -32601, message: 'Unknown method' } },
    { jsonrpc: '2.0', id: 't', result: {} },
  ]);
});

test('a view reports its size at most ten times a second, and only if it changed by more than a pixel', async () => {
  verifies('APP-32');
  await host.connect();
  const sizes = (): unknown[] => host.sent('ui/notifications/size-changed').map(({ params }) => params);
  host.resized();
  expect(sizes()).toEqual([{ width: 300, height: 48 }]);
  for (const height of [50, 60, 70]) {
    host.page.scrollHeight = height;
    host.resized();
  }
  expect(sizes()).toHaveLength(1);
  vi.advanceTimersByTime(100);
  expect(sizes().slice(1)).toEqual([{ width: 300, height: 78 }]);
  vi.advanceTimersByTime(1_000);
  host.page.scrollHeight = 71;
  host.resized();
  expect(sizes()).toHaveLength(2);
});
