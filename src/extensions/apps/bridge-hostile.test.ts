/** Hostile views: whatever they send, the bridge answers or drops it, within its limits and in order. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { MemoryView } from '../../../test/support/memory-view.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { openBridge, type ViewBridge, type ViewHandlers } from './bridge.ts';

const MIB = 1024 * 1024;
const done = { content: [{ type: 'text' as const, text: 'done' }] };

function opened(handlers: ViewHandlers = {}): {
  view: MemoryView;
  bridge: ViewBridge;
  clock: HeldClock;
  warnings: string[];
} {
  const [view, clock, warnings] = [new MemoryView(), new HeldClock(), [] as string[]];
  const onWarning = (warning: string): void => void warnings.push(warning);
  const bridge = openBridge(view, handlers, { hostInfo: { name: 'host', version: '1' }, clock, onWarning });
  return { view, bridge, clock, warnings };
}

describe('limits', () => {
  test('a message of more than 1 MiB is rejected with an error', async () => {
    verifies('APP-48');
    const called: string[] = [];
    const { view, warnings } = opened({
      callTool: async (name) => {
        called.push(name.slice(0, 3));
        return done;
      },
    });
    await view.handshake();
    const overhead = JSON.stringify({ jsonrpc: '2.0', id: 100, method: 'tools/call', params: { name: '' } }).length;
    expect(await view.ask('tools/call', { name: 'x'.repeat(MIB - overhead) })).toMatchObject({ result: done });
    expect(await view.ask('tools/call', { name: 'y'.repeat(MIB) })).toMatchObject({ error: { code: -32000 } });
    expect(called).toEqual(['xxx']);
    expect(warnings).toEqual(['A message of the view was rejected: A message has 1048576 characters at most']);
  });

  test('the 101st message of a second is rejected, and the limit resets in the next second', async () => {
    let calls = 0;
    const { view, clock, warnings } = opened({
      callTool: async () => {
        calls++;
        return done;
      },
    });
    await view.handshake();
    // The handshake was two messages.
    for (let id = 0; id < 98; id++) view.say({ jsonrpc: '2.0', id, method: 'ping' });
    expect(view.heard.filter((one) => 'error' in one)).toEqual([]);
    expect(await view.ask('tools/call', { name: 'x' })).toMatchObject({ error: { code: -32000 } });
    view.notify('ui/notifications/size-changed', { height: 1 });
    expect(calls).toBe(0);
    expect(warnings).toEqual(['A message of the view was rejected: A view sends 100 messages a second at most']);
    await clock.pass(1_000);
    expect(await view.ask('tools/call', { name: 'x' })).toMatchObject({ result: done });
  });

  test('at most 32 requests are pending, and each pending id is unique', async () => {
    let calls = 0;
    const { view } = opened({
      callTool: () => {
        calls++;
        return new Promise(() => undefined);
      },
    });
    await view.handshake();
    for (let id = 0; id < 40; id++) view.say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'x' } });
    view.say({ jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name: 'x' } });
    const refused = view.heard.filter((one) => 'error' in one);
    expect([calls, refused.length]).toEqual([32, 9]);
    expect(refused.at(-1)).toMatchObject({ id: 0, error: { code: -32600 } });
  });
});

describe('invalid messages', () => {
  const cyclic: Record<string, unknown> = { jsonrpc: '2.0', id: 1, method: 'ping' };
  cyclic['params'] = { cyclic };
  const deep = (levels: number): unknown => (levels === 0 ? {} : { a: deep(levels - 1) });
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error('a trap');
      },
    },
  );

  test.each<[string, unknown, boolean]>([
    ['text', '{"jsonrpc":"2.0","id":1,"method":"ping"}', false],
    ['nothing', undefined, false],
    ['null', null, false],
    ['a list', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], false],
    ['an object in itself', cyclic, true],
    ['a BigInt', { jsonrpc: '2.0', id: 1, method: 'ping', params: { n: 1n } }, true],
    ['200 levels', { jsonrpc: '2.0', id: 1, method: 'ping', params: deep(300) }, true],
    ['ten thousand levels', { jsonrpc: '2.0', id: 1, method: 'ping', params: deep(10_000) }, true],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, true],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, true],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, false],
    ['an id of two thousand characters', { jsonrpc: '2.0', id: 'x'.repeat(2_000), method: 'ping' }, false],
    ['a result without a request', { jsonrpc: '2.0', id: 1, result: {} }, false],
    ['a broken result', { jsonrpc: '2.0', id: 1, result: 7 }, false],
    ['a trap', trap, false],
    [
      'a message to the sandbox',
      { jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: {} },
      false,
    ],
  ])('%s does no harm', async (_what, message, isAnswered) => {
    verifies('APP-48');
    const { view, bridge } = opened();
    await view.handshake();
    const before = view.heard.length;
    view.say(message);
    await settled();
    expect(view.heard.slice(before).map((one) => 'error' in one)).toEqual(isAnswered ? [true] : []);
    expect([bridge.state, await view.ask('ping')]).toMatchObject(['initialized', { result: {} }]);
  });

  test('a response to the teardown is ignored before the teardown', async () => {
    const { view, bridge } = opened();
    view.hangs = true;
    await view.handshake();
    for (let id = 0; id < 5; id++) view.say({ jsonrpc: '2.0', id, result: {} });
    const over = bridge.teardown();
    await settled();
    expect(bridge.state).toBe('leaving');
    view.say({ jsonrpc: '2.0', id: 1, result: {} });
    await over;
  });
});

describe('whatever a view sends, in whatever order', () => {
  const methods = [
    ...[
      'ui/initialize',
      'initialize',
      'ui/notifications/initialized',
      'ping',
      'tools/call',
      'resources/read',
      'ui/open-link',
    ],
    ...[
      'ui/message',
      'ui/update-model-context',
      'ui/request-display-mode',
      'notifications/message',
      'notifications/cancelled',
    ],
    ...[
      'ui/notifications/size-changed',
      'ui/notifications/request-teardown',
      'ui/resource-teardown',
      'ui/notifications/tool-input',
    ],
  ];
  const params = fc.oneof(
    fc.dictionary(
      fc.constantFrom('name', 'arguments', 'uri', 'url', 'mode', 'content', 'role', 'requestId'),
      fc.jsonValue(),
    ),
    fc.constant({
      name: 'ship',
      uri: 'x://1',
      url: 'https://a.test',
      mode: 'pip',
      role: 'user',
      content: done.content,
    }),
    fc.constant({ appCapabilities: { availableDisplayModes: ['inline'] } }),
  );
  const message = fc.oneof(
    fc.anything({ withBigInt: true, withMap: true, withObjectString: true }),
    fc.record(
      {
        jsonrpc: fc.constant('2.0'),
        id: fc.oneof(fc.nat(3), fc.string()),
        method: fc.constantFrom(...methods),
        params,
      },
      { requiredKeys: ['jsonrpc', 'method'] },
    ),
    fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(3), result: fc.object() }),
  );
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ say: message }) },
    { weight: 1, arbitrary: fc.constantFrom('input', 'partial', 'result', 'changed', 'second', 'handshake') },
    { weight: 1, arbitrary: fc.constantFrom('handshake', 'input', 'result') },
    { weight: 1, arbitrary: fc.constantFrom('handshake', 'teardown', 'changed') },
  );

  test('the bridge never throws, answers each request at most once, and sends nothing out of order', async () => {
    verifies('APP-26', 'APP-36', 'APP-41', 'APP-48');
    let live = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const log: string[] = [];
        const refuse = (): Promise<never> => Promise.reject(new Error('no'));
        const { view, bridge, clock } = opened({
          callTool: async () => done,
          readResource: refuse,
          openLink: refuse,
          message: async () => undefined,
          updateContext: refuse,
          displayMode: async (mode) => mode,
          resized: () => {
            throw new Error('no');
          },
          log: () => undefined,
        });
        const send = view.send.bind(view);
        view.send = (one) => {
          const isHandshake = JSON.stringify(one['result'] ?? {}).includes('protocolVersion');
          log.push(String(one['method'] ?? (isHandshake ? 'initialize' : 'response')));
          send(one);
        };
        const host: Record<string, () => unknown> = {
          input: () => bridge.input({}),
          partial: () => bridge.partialInput({}),
          result: () => bridge.result(done),
          changed: () => bridge.contextChanged({ displayMode: 'pip', locale: String(log.length) }),
          second: () => clock.pass(1_000),
          teardown: () => void bridge.teardown(),
          handshake: () => {
            const declared = { appCapabilities: { availableDisplayModes: ['inline'] } };
            for (const one of [
              { jsonrpc: '2.0', id: 'h', method: 'ui/initialize', params: declared },
              { jsonrpc: '2.0', method: 'ui/notifications/initialized' },
            ])
              say(one);
          },
        };
        const say = (one: unknown): void => {
          if (isInitialized(one) && bridge.state === 'loading') log.push('initialized');
          view.say(one);
        };
        for (const one of steps) {
          if (typeof one !== 'string') say(one.say);
          else
            try {
              await host[one]?.();
            } catch (error) {
              expect(String(error)).toMatch(/already/);
            }
          await settled();
          if (bridge.state === 'live') live++;
        }
        expect(orderFaults(log)).toEqual([]);
        void bridge.teardown();
        await clock.pass(60_000);
        expect([bridge.state, view.closed]).toEqual(['gone', true]);
      }),
      { numRuns: 300 },
    );
    expect(live).toBeGreaterThan(0);
  });

  const isInitialized = (message: unknown): boolean =>
    typeof message === 'object' &&
    message !== null &&
    'method' in message &&
    message.method === 'ui/notifications/initialized' &&
    !('id' in message);

  /** Messages that were sent to a page that is not ready, or out of order. */
  function orderFaults(log: readonly string[]): readonly string[] {
    const faults: string[] = [];
    let [isReady, inputs, outcomes] = [false, 0, 0];
    for (const entry of log) {
      if (entry === 'initialized') [isReady, inputs, outcomes] = [true, 0, 0];
      else if (entry === 'initialize') isReady = false;
      else if (entry === 'response') continue;
      else if (!isReady) faults.push(`${entry} before initialized`);
      if (entry.endsWith('tool-input') && ++inputs > 1) faults.push('input twice');
      if (entry.endsWith('tool-result') && (inputs === 0 || ++outcomes > 1))
        faults.push('result before input, or twice');
      if (entry.endsWith('tool-input-partial') && inputs > 0) faults.push('partial input after input');
    }
    return faults;
  }
});
