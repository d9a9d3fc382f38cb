/** The bridge over a port in memory: requests of the view, and what the view gets. */
import { describe, expect, test } from 'vitest';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { MemoryView } from '../../../test/support/memory-view.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { McpError, RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { type BridgeOptions, openBridge, type ViewBridge, type ViewHandlers } from './bridge.ts';

interface Opened {
  readonly view: MemoryView;
  readonly bridge: ViewBridge;
  readonly clock: HeldClock;
  readonly warnings: string[];
}

function opened(handlers: ViewHandlers = {}, options: Partial<BridgeOptions> = {}): Opened {
  const view = new MemoryView();
  const clock = new HeldClock();
  const warnings: string[] = [];
  const hostInfo = { name: 'host', version: '1' };
  const onWarning = (warning: string): void => void warnings.push(warning);
  const bridge = openBridge(view, handlers, { hostInfo, clock, onWarning, ...options });
  return { view, bridge, clock, warnings };
}

const INPUT = 'ui/notifications/tool-input';
const PARTIAL = 'ui/notifications/tool-input-partial';
const CANCELLED_CALL = 'ui/notifications/tool-cancelled';
const TEARDOWN = 'ui/resource-teardown';
const RESULT = 'ui/notifications/tool-result';
const CHANGED = 'ui/notifications/host-context-changed';
const answer = (text: string): { content: { type: 'text'; text: string }[] } => ({ content: [{ type: 'text', text }] });

describe('the handshake', () => {
  test('a view gets nothing but responses before it says that it is initialized', async () => {
    verifies('APP-26', 'APP-41', 'APP-44');
    const { view, bridge } = opened();
    bridge.input({ order: 1 });
    bridge.result(answer('done'));
    bridge.contextChanged({ theme: 'dark' });
    expect([bridge.state, view.heard]).toEqual(['made', []]);
    await view.ask('ui/initialize', {});
    expect([bridge.state, view.told]).toEqual(['loading', []]);
    bridge.contextChanged({ locale: 'de' });
    expect(view.told).toEqual([]);
    view.notify('ui/notifications/initialized');
    expect(bridge.state).toBe('live');
    expect(view.told).toEqual([CHANGED, INPUT, RESULT]);
    expect(view.paramsOf(CHANGED)).toEqual([{ locale: 'de' }]);
    expect(view.paramsOf(INPUT)).toEqual([{ arguments: { order: 1 } }]);
    expect(view.paramsOf(RESULT)).toEqual([answer('done')]);
  });

  test.each(['ui/initialize', 'initialize'])(
    '%s is answered with the stable version, whatever the view asks for',
    async (method) => {
      verifies('APP-30', 'APP-53');
      const sandbox = { csp: { connectDomains: ['https://api.example'] }, permissions: { camera: {} } };
      const { view } = opened(
        { callTool: async () => answer('x'), openLink: async () => undefined, log: () => undefined },
        { hostContext: { theme: 'dark', displayMode: 'inline' }, sandbox },
      );
      const params = { protocolVersion: '2025-06-18', appInfo: { name: 'v', version: '1' }, appCapabilities: {} };
      expect(await view.ask(method, params)).toMatchObject({
        result: {
          protocolVersion: '2026-01-26',
          hostInfo: { name: 'host', version: '1' },
          hostCapabilities: { serverTools: {}, openLinks: {}, logging: {}, sandbox },
          hostContext: { theme: 'dark', displayMode: 'inline' },
        },
      });
    },
  );

  test('a capability is named only where there is a handler for it', async () => {
    verifies('APP-53');
    const answered = await opened({ readResource: async () => ({}) }).view.handshake();
    expect(answered).toHaveProperty('result.hostCapabilities', { serverResources: {} });
  });

  test('a request before the handshake is rejected, except for ping', async () => {
    const called: string[] = [];
    const { view, bridge } = opened({
      callTool: async (name) => {
        called.push(name);
        return answer('x');
      },
    });
    expect(await view.ask('ping')).toMatchObject({ result: {} });
    expect(await view.ask('tools/call', { name: 'ship' })).toMatchObject({ error: { code: -32600 } });
    await view.ask('ui/initialize', {});
    expect(await view.ask('tools/call', { name: 'ship' })).toMatchObject({ error: { code: -32600 } });
    view.notify('ui/notifications/initialized');
    expect(await view.ask('tools/call', { name: 'ship' })).toMatchObject({ result: answer('x') });
    expect([called, bridge.state]).toEqual([['ship'], 'initialized']);
  });

  test('initialized without a preceding ui/initialize is ignored', () => {
    const { view, bridge } = opened();
    bridge.input({});
    view.notify('ui/notifications/initialized');
    expect([bridge.state, view.heard]).toEqual(['made', []]);
  });

  test('the bridge closes if the handshake is not complete within 30 seconds', async () => {
    const { view, bridge, clock } = opened();
    await view.ask('ui/initialize', {});
    await clock.pass(29_999);
    expect(bridge.state).toBe('loading');
    await clock.pass(1);
    expect([await bridge.closed, bridge.state, view.closed]).toEqual(['no handshake', 'gone', true]);
  });

  test('a view that reloads is answered again, and gets its input and result again', async () => {
    const { view, bridge } = opened();
    await view.handshake();
    bridge.input({ order: 1 });
    bridge.result(answer('done'));
    await view.handshake();
    expect(view.told).toEqual([INPUT, RESULT, INPUT, RESULT]);
    expect(bridge.state).toBe('live');
  });

  test('requests of a page that was reloaded are cancelled, and not answered to the next one', async () => {
    let finish: (() => void) | undefined;
    let isAborted = false;
    const { view } = opened({
      callTool: (_name, _args, signal) =>
        new Promise((resolve) => {
          finish = () => resolve(answer('late'));
          signal.addEventListener('abort', () => {
            isAborted = true;
          });
        }),
    });
    await view.handshake();
    view.say({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'slow' } });
    await view.handshake();
    finish?.();
    await settled();
    expect([isAborted, view.heard.some(({ id }) => id === 7)]).toEqual([true, false]);
  });
});

describe('input and result', () => {
  test('the result waits for the input', async () => {
    verifies('APP-41');
    const { view, bridge } = opened();
    await view.handshake();
    bridge.result(answer('quick'));
    expect(view.told).toEqual([]);
    bridge.input({});
    expect(view.told).toEqual([INPUT, RESULT]);
  });

  test('input is sent once, and a second one is a mistake of the host', async () => {
    verifies('APP-41');
    const { view, bridge } = opened();
    await view.handshake();
    bridge.input({});
    expect(() => bridge.input({})).toThrow('it has its input already');
    bridge.result(answer('a'));
    expect(() => bridge.result(answer('b'))).toThrow('it has the outcome of its call already');
    expect(() => bridge.cancelled()).toThrow('it has the outcome of its call already');
    expect(view.told).toEqual([INPUT, RESULT]);
  });

  test('partial arguments stop with the complete ones', async () => {
    verifies('APP-42', 'APP-56');
    const { view, bridge } = opened();
    bridge.partialInput({ text: 'H' });
    bridge.partialInput({ text: 'He' });
    await view.handshake();
    bridge.partialInput({ text: 'Hel' });
    bridge.input({ text: 'Hello' });
    bridge.partialInput({ text: 'Hello?' });
    expect(view.told).toEqual([PARTIAL, PARTIAL, INPUT]);
    expect(view.paramsOf(PARTIAL)).toEqual([{ arguments: { text: 'He' } }, { arguments: { text: 'Hel' } }]);
  });

  test.each([
    [undefined, {}],
    ['the user stopped it', { reason: 'the user stopped it' }],
  ])('a view is notified of a cancelled call, with the reason %s', async (reason, params) => {
    verifies('APP-45');
    const { view, bridge } = opened();
    bridge.input({});
    bridge.cancelled(reason);
    await view.handshake();
    expect(view.paramsOf(CANCELLED_CALL)).toEqual([params]);
  });

  test('only what changed of the context is sent', async () => {
    const { view, bridge } = opened({}, { hostContext: { theme: 'dark', locale: 'en' } });
    await view.handshake();
    bridge.contextChanged({ theme: 'dark', locale: 'de' });
    bridge.contextChanged({ theme: 'dark' });
    expect(view.paramsOf(CHANGED)).toEqual([{ locale: 'de' }]);
  });
});

describe('what a view asks for', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['tools/call', { name: 'ship', arguments: { order: 1 } }, { callTool: ['ship', { order: 1 }] }],
    ['tools/call', { name: 'ship' }, { callTool: ['ship', {}] }],
    ['resources/read', { uri: 'shop://1' }, { readResource: ['shop://1'] }],
    ['ui/open-link', { url: 'https://a.test/' }, { openLink: ['https://a.test/'] }],
    [
      'ui/message',
      { role: 'user', content: { type: 'text', text: 'hi' } },
      { message: [{ role: 'user', ...answer('hi') }] },
    ],
    ['ui/message', { role: 'user', ...answer('hi') }, { message: [{ role: 'user', ...answer('hi') }] }],
    ['ui/update-model-context', { structuredContent: { a: 1 } }, { updateContext: [{ structuredContent: { a: 1 } }] }],
    ['ui/update-model-context', {}, { updateContext: [{}] }],
  ])('%s %j reaches its handler', async (method, params, expected) => {
    verifies('APP-39');
    const { view, seen } = await recorded();
    expect(await view.ask(method, params)).toMatchObject({ result: expect.any(Object) });
    expect(seen).toEqual(expected);
  });

  test.each<[string, JsonObject]>([
    ['tools/call', {}],
    ['tools/call', { name: '' }],
    ['tools/call', { name: ['ship'] }],
    ['tools/call', { name: 'ship', arguments: 'all' }],
    ['resources/read', { uri: 7 }],
    ['ui/open-link', { href: 'https://a.test/' }],
    ['ui/message', { role: 'assistant', ...answer('I agree') }],
    ['ui/message', { role: 'user', content: { type: 'text' } }],
    ['ui/message', { role: 'user', content: [{ type: 'text', text: 'a' }, 'b'] }],
    ['ui/update-model-context', { content: 'text' }],
    ['ui/update-model-context', { structuredContent: [1] }],
    ['ui/request-display-mode', { mode: 'window' }],
  ])('%s %j is rejected before a handler sees it', async (method, params) => {
    verifies('APP-48');
    const { view, seen } = await recorded();
    expect(await view.ask(method, params)).toMatchObject({ error: { code: -32602 } });
    expect(seen).toEqual({});
  });

  test.each(['tools/list', 'prompts/get', 'ui/download-file', 'sampling/createMessage', '__proto__', 'toString'])(
    '%s is no method of the stable text',
    async (method) => {
      verifies('APP-27');
      const { view, seen } = await recorded();
      expect(await view.ask(method, { contents: [], messages: [] })).toMatchObject({ error: { code: -32601 } });
      expect(seen).toEqual({});
    },
  );

  test('an exception of a handler reaches the view as an error with only its code', async () => {
    const secret = 'the rule about /home/ada';
    const denied = new McpError('MCP_DENIED', { what: secret, why: secret, rule: secret, id: 'x' });
    const { view } = opened({
      openLink: () => Promise.reject(denied),
      readResource: () => Promise.reject(new Error(secret)),
      callTool: () => Promise.reject(new RpcError(-32602, 'No such order', { order: 1 })),
    });
    await view.handshake();
    const code = -32000;
    expect(await view.ask('ui/open-link', { url: 'x' })).toMatchObject({
      error: { code, message: 'Refused: MCP_DENIED' },
    });
    expect(await view.ask('resources/read', { uri: 'x' })).toMatchObject({ error: { code, message: 'Refused' } });
    expect(await view.ask('tools/call', { name: 'x' })).toMatchObject({
      error: { code: -32602, message: 'No such order', data: { order: 1 } },
    });
    expect(JSON.stringify(view.heard)).not.toContain(secret);
  });

  test('ping is answered, log messages reach the handler, and a request can be cancelled', async () => {
    verifies('APP-57');
    const logs: JsonObject[] = [];
    const signals: AbortSignal[] = [];
    const { view } = opened({
      log: (params) => void logs.push(params),
      callTool: (_name, _args, signal) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    await view.handshake();
    expect(await view.ask('ping')).toMatchObject({ result: {} });
    view.notify('notifications/message', { level: 'info', data: 'hi' });
    view.say({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'x' } });
    view.notify('notifications/cancelled', { requestId: 'slow' });
    expect(logs).toEqual([{ level: 'info', data: 'hi' }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('methods of the draft are available only with draft: true', async () => {
    verifies('APP-52');
    const file = { type: 'resource', resource: { uri: 'file:///a.txt', text: 'hi' } };
    const seen: unknown[] = [];
    const handlers: ViewHandlers = {
      download: async (contents) => void seen.push(contents),
      sample: async () => ({ role: 'assistant' }),
      leave: () => void seen.push('leave'),
    };
    for (const draft of [false, true]) {
      const { view } = opened(handlers, { draft });
      await view.handshake();
      const code = draft ? undefined : -32601;
      const codeOf = (response: JsonObject | undefined): unknown =>
        (response?.['error'] as JsonObject | undefined)?.['code'];
      expect(codeOf(await view.ask('ui/download-file', { contents: [file] }))).toBe(code);
      expect(codeOf(await view.ask('sampling/createMessage', {}))).toBe(code);
      view.notify('ui/notifications/request-teardown');
    }
    expect(seen).toEqual([[file], 'leave']);
  });

  test('capabilities of the draft, and the content types of messages, are announced only with draft: true', async () => {
    const none = async (): Promise<void> => undefined;
    const handlers: ViewHandlers = { message: none, updateContext: none, download: none, sample: async () => ({}) };
    const kinds = { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {}, structuredContent: {} };
    const told = async (draft: boolean): Promise<unknown> => {
      const answered = await opened(handlers, { draft }).view.handshake();
      return (answered?.['result'] as JsonObject | undefined)?.['hostCapabilities'];
    };
    expect(await told(false)).toEqual({});
    expect(await told(true)).toEqual({ message: kinds, updateModelContext: kinds, downloadFile: {}, sampling: {} });
  });

  test.each<[string, unknown]>([
    ['one file that is in no list', { type: 'resource', resource: { uri: 'file:///a.txt', text: 'hi' } }],
    ['an empty list', []],
    ['text', [{ type: 'text', text: 'hi' }]],
    ['nothing', undefined],
  ])('a download of %s is rejected', async (_what, contents) => {
    const { view } = opened({ download: () => expect.unreachable() }, { draft: true });
    await view.handshake();
    expect(await view.ask('ui/download-file', { contents })).toMatchObject({ error: { code: -32602 } });
  });
});

describe('display modes', () => {
  const modes = { displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen', 'pip'] } as const;

  test.each<[string, readonly string[] | undefined, string]>([
    ['one that both declare', ['inline', 'fullscreen'], 'fullscreen'],
    ['any, where the view declares none', undefined, 'fullscreen'],
    ['not one that the view did not declare', ['inline', 'pip'], 'inline'],
  ])('a view gets %s', async (_what, availableDisplayModes, mode) => {
    verifies('APP-36', 'APP-37');
    const asked: string[] = [];
    const displayMode: ViewHandlers['displayMode'] = async (wanted) => {
      asked.push(wanted);
      return wanted;
    };
    const { view } = opened({ displayMode }, { hostContext: modes });
    await view.handshake(availableDisplayModes === undefined ? {} : { availableDisplayModes });
    expect(await view.ask('ui/request-display-mode', { mode: 'fullscreen' })).toMatchObject({ result: { mode } });
    expect(asked).toEqual(mode === 'inline' ? [] : ['fullscreen']);
  });

  test('the host does not switch a view to a mode that the view did not declare', async () => {
    verifies('APP-36', 'APP-37');
    const { view, bridge } = opened({ displayMode: async () => 'pip' }, { hostContext: modes });
    await view.handshake({ availableDisplayModes: ['inline', 'fullscreen'] });
    bridge.contextChanged({ displayMode: 'pip', theme: 'dark' });
    expect(view.paramsOf(CHANGED)).toEqual([{ theme: 'dark' }]);
    expect(await view.ask('ui/request-display-mode', { mode: 'fullscreen' })).toMatchObject({
      result: { mode: 'inline' },
    });
  });

  test('a mode that the host does not offer leaves the view as it is', async () => {
    verifies('APP-37');
    const { view } = opened({ displayMode: async (mode) => mode });
    await view.handshake();
    expect(await view.ask('ui/request-display-mode', { mode: 'pip' })).toMatchObject({ result: { mode: 'inline' } });
  });
});

describe('sizes', () => {
  test('sizes are reported ten times a second, with the last one, and up to a limit', async () => {
    verifies('APP-31');
    const sizes: unknown[] = [];
    const { view, clock } = opened({ resized: (size) => void sizes.push(size) });
    await view.handshake();
    const report = (height: unknown): void => view.notify('ui/notifications/size-changed', { height });
    for (const height of [100, 200, 300]) report(height);
    expect(sizes).toEqual([{ height: 100 }]);
    await clock.pass(100);
    expect(sizes).toEqual([{ height: 100 }, { height: 300 }]);
    await clock.pass(100);
    for (const odd of [300.5, -1, 'tall', null, Number.NaN]) report(odd);
    await clock.pass(100);
    report(1e9);
    expect(sizes.slice(2)).toEqual([{ height: 5_000 }]);
  });
});

describe('the end', () => {
  test('teardown() notifies the view, and waits for its response', async () => {
    verifies('APP-46', 'APP-47');
    const { view, bridge } = opened();
    view.hangs = true;
    await view.handshake();
    let isOver = false;
    const over = bridge.teardown('closed by the user').then(() => {
      isOver = true;
    });
    await settled();
    expect([bridge.state, isOver, view.paramsOf(TEARDOWN)]).toEqual([
      'leaving',
      false,
      [{ reason: 'closed by the user' }],
    ]);
    view.say({ jsonrpc: '2.0', id: view.heard.at(-1)?.['id'], result: {} });
    await over;
    expect([bridge.state, view.closed, await bridge.closed]).toEqual(['gone', true, 'teardown']);
  });

  test('teardown() waits two seconds for a view that hangs, which can still make requests', async () => {
    verifies('APP-47');
    const { view, bridge, clock } = opened({ callTool: async () => answer('saved') });
    view.hangs = true;
    await view.handshake();
    const over = bridge.teardown();
    expect(await view.ask('tools/call', { name: 'save' })).toMatchObject({ result: answer('saved') });
    expect(await view.ask('ui/initialize', {})).toMatchObject({ error: { code: -32000 } });
    await clock.pass(1_999);
    expect(bridge.state).toBe('leaving');
    await clock.pass(1);
    await over;
    expect(bridge.state).toBe('gone');
  });

  test('a view that is not ready is not notified of the teardown, and a closed one gets no messages', async () => {
    verifies('APP-26');
    const { view, bridge } = opened();
    await view.ask('ui/initialize', {});
    const before = view.heard.length;
    await bridge.teardown();
    bridge.input({});
    bridge.contextChanged({ theme: 'dark' });
    view.say({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(view.heard).toHaveLength(before);
  });

  test('requests that wait are cancelled with the view', async () => {
    const signals: AbortSignal[] = [];
    const callTool: ViewHandlers['callTool'] = (_name, _args, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const { view, bridge } = opened({ callTool });
    await view.handshake();
    view.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    await bridge.teardown();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('a port that fails ends the bridge', async () => {
    const { view, bridge } = opened();
    view.send = () => {
      throw new Error('the frame is gone');
    };
    await view.ask('ui/initialize', {});
    expect(await bridge.closed).toBe('port failed');
  });
});

/** A view that is ready, and what its handlers were called with. */
async function recorded(): Promise<{ readonly view: MemoryView; readonly seen: JsonObject }> {
  const seen: Record<string, unknown> = {};
  const note =
    (name: string, result: unknown) =>
    async (...args: readonly unknown[]): Promise<never> => {
      seen[name] = args.slice(0, -1);
      return result as never; // what the handler of this name returns
    };
  const { view } = opened({
    callTool: note('callTool', answer('x')),
    readResource: note('readResource', { contents: [] }),
    openLink: note('openLink', undefined),
    message: note('message', undefined),
    updateContext: note('updateContext', undefined),
    displayMode: note('displayMode', 'inline'),
    download: note('download', undefined),
    sample: note('sample', {}),
  });
  await view.handshake();
  return { view, seen };
}
