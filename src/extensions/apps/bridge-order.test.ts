/** The lifecycle of a bridge: every step of it, repeated or too late. */
import { describe, expect, test, vi } from 'vitest';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { MemoryView } from '../../../test/support/memory-view.ts';
import { type BridgeOptions, openBridge, type ViewBridge, type ViewHandlers } from './bridge.ts';

interface Opened {
  readonly view: MemoryView;
  readonly bridge: ViewBridge;
  readonly clock: HeldClock;
  readonly warnings: string[];
}

function opened(handlers: ViewHandlers = {}, options: Partial<BridgeOptions> = {}): Opened {
  const [view, clock, warnings] = [new MemoryView(), new HeldClock(), [] as string[]];
  const onWarning = (warning: string): void => void warnings.push(warning);
  const hostInfo = { name: 'host', version: '1' };
  return { view, clock, warnings, bridge: openBridge(view, handlers, { hostInfo, clock, onWarning, ...options }) };
}

const INPUT = 'ui/notifications/tool-input';
const PARTIAL = 'ui/notifications/tool-input-partial';
const RESULT = 'ui/notifications/tool-result';
const CHANGED = 'ui/notifications/host-context-changed';
const TEARDOWN = 'ui/resource-teardown';
const done = { content: [{ type: 'text' as const, text: 'done' }] };

describe('a handshake', () => {
  test('the bridge ends if the handshake does not begin within 30 seconds', async () => {
    const { bridge, clock } = opened();
    await clock.pass(29_999);
    expect(bridge.state).toBe('made');
    await clock.pass(1);
    expect(await bridge.closed).toBe('no handshake');
  });

  test('the timeout of 30 seconds restarts when the handshake begins, and when the view reloads', async () => {
    const { view, bridge, clock } = opened();
    await clock.pass(20_000);
    await view.ask('ui/initialize');
    await clock.pass(20_000);
    expect(bridge.state).toBe('loading');
    view.notify('ui/notifications/initialized');
    await clock.pass(100_000);
    expect(bridge.state).toBe('initialized');
    await view.ask('ui/initialize');
    await clock.pass(30_000);
    expect(await bridge.closed).toBe('no handshake');
  });

  test('a pending handshake does not keep the process alive', () => {
    const clock = new HeldClock();
    const after = vi.spyOn(clock, 'after') as unknown as ReturnType<typeof vi.fn>; // its clock is asked with more than it knows
    opened({}, { clock });
    expect(after.mock.calls).toEqual([[30_000, expect.any(Function), { idle: true }]]);
  });

  test('reports of a view before the handshake are ignored', async () => {
    const seen: unknown[] = [];
    const { view } = opened({ log: (entry) => void seen.push(entry), resized: (size) => void seen.push(size) });
    const report = (): void => {
      view.notify('notifications/message', { level: 'info', data: 'x' });
      view.notify('ui/notifications/size-changed', { height: 10 });
    };
    report();
    await view.ask('ui/initialize');
    report();
    expect(seen).toEqual([]);
    view.notify('ui/notifications/initialized');
    report();
    expect(seen).toHaveLength(2);
  });
});

describe('a view', () => {
  test('a view gets each partial input once, and its outcome once', async () => {
    const { view, bridge } = opened();
    await view.handshake();
    bridge.partialInput({ text: 'H' });
    bridge.contextChanged({ theme: 'dark' });
    bridge.input({ text: 'Hello' });
    bridge.contextChanged({ theme: 'light' });
    bridge.result(done);
    bridge.contextChanged({ locale: 'de' });
    expect(view.told).toEqual([PARTIAL, CHANGED, INPUT, CHANGED, RESULT, CHANGED]);
    expect(view.heard, 'and the answer to its handshake').toHaveLength(7);
  });

  test('a view that reloads after its complete input gets no partial input', async () => {
    const { view, bridge } = opened();
    bridge.input({ text: 'Hello' });
    bridge.partialInput({ text: 'H' });
    await view.handshake();
    expect(view.told).toEqual([INPUT]);
  });

  test('a view that becomes ready gets all earlier changes of the context', async () => {
    const { view, bridge } = opened();
    await view.ask('ui/initialize');
    bridge.contextChanged({ theme: 'dark' });
    bridge.contextChanged({ locale: 'de' });
    view.notify('ui/notifications/initialized');
    expect(view.paramsOf(CHANGED)).toEqual([{ theme: 'dark', locale: 'de' }]);
  });

  test('a view is not switched to a display mode that it did not declare, with a warning', async () => {
    const { view, bridge, warnings } = opened();
    await view.handshake({ availableDisplayModes: ['inline'] });
    bridge.contextChanged({ theme: 'dark' });
    bridge.contextChanged({ displayMode: 'inline' });
    expect(warnings).toEqual([]);
    bridge.contextChanged({ displayMode: 'pip' });
    expect(warnings).toEqual(['The view did not declare the display mode pip']);
    expect(view.paramsOf(CHANGED)).toEqual([{ theme: 'dark' }, { displayMode: 'inline' }]);
  });

  test.each([[], 'pip', { 0: 'pip' }, null])('invalid display modes are ignored: %j', async (odd) => {
    const { view, bridge, warnings } = opened();
    await view.handshake({ availableDisplayModes: odd });
    bridge.contextChanged({ displayMode: 'fullscreen' });
    expect([view.paramsOf(CHANGED), warnings]).toEqual([[{ displayMode: 'fullscreen' }], []]);
  });

  test('a view keeps its mode if the host has no handler for display modes', async () => {
    const { view } = opened({}, { hostContext: { availableDisplayModes: ['inline', 'pip'] } });
    await view.handshake();
    expect(await view.ask('ui/request-display-mode', { mode: 'pip' })).toMatchObject({ result: { mode: 'inline' } });
  });

  test('a view gets no response to a message that is not a request, and an error without details for an unreadable one', async () => {
    const { view, warnings } = opened();
    await view.handshake();
    const before = view.heard.length;
    for (const odd of [null, 'method', 7, ['method'], { jsonrpc: '2.0', id: 9, result: 1, error: 2 }]) view.say(odd);
    expect(view.heard).toHaveLength(before);
    const trap = {
      jsonrpc: '2.0',
      id: 10,
      method: 'ping',
      get params(): never {
        throw new Error('trap');
      },
    };
    view.say(trap);
    expect(view.heard.slice(before)).toMatchObject([{ id: 10, error: { code: -32600 } }]);
    expect(JSON.stringify([view.heard, warnings])).not.toContain('trap');
  });
});

describe('the end of a view', () => {
  test('teardown() waits until the view responds to that request', async () => {
    const { view, bridge } = opened();
    view.hangs = true;
    await view.handshake();
    bridge.input({});
    const over = bridge.teardown();
    expect(view.paramsOf(TEARDOWN)).toEqual([{}]);
    view.say({ jsonrpc: '2.0', id: 99, result: {} });
    await settled();
    expect(bridge.state).toBe('leaving');
    view.say({ jsonrpc: '2.0', id: view.heard.at(-1)?.['id'], result: {} });
    await over;
    expect(bridge.state).toBe('gone');
  });

  test('a bridge ends once, and then sends, reports and closes nothing', async () => {
    const sizes: unknown[] = [];
    const { view, bridge, clock } = opened({ resized: (size) => void sizes.push(size) });
    let closings = 0;
    view.close = () => void closings++;
    await view.handshake();
    for (const height of [100, 200]) view.notify('ui/notifications/size-changed', { height });
    view.send = () => {
      throw new Error('the frame is gone');
    };
    bridge.contextChanged({ theme: 'dark' });
    expect([bridge.state, await bridge.closed]).toEqual(['gone', 'port failed']);
    let sent = 0;
    view.send = () => void sent++;
    await bridge.teardown();
    bridge.contextChanged({ theme: 'light' });
    await clock.pass(60_000);
    expect([bridge.state, await bridge.closed, closings, sent]).toEqual(['gone', 'port failed', 1, 0]);
    expect(sizes).toEqual([{ height: 100 }]);
  });

  test('the end of a bridge also ends the wait for its teardown', async () => {
    const { view, bridge } = opened();
    let closings = 0;
    view.close = () => void closings++;
    view.hangs = true;
    await view.handshake();
    const over = bridge.teardown();
    view.send = () => {
      throw new Error('the frame is gone');
    };
    view.say({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await over;
    expect([await bridge.closed, closings]).toEqual(['port failed', 1]);
  });

  test('a port that failed is not used again', async () => {
    const { view, bridge } = opened();
    bridge.input({});
    bridge.result(done);
    await view.ask('ui/initialize');
    view.send = vi.fn(() => {
      throw new Error('the frame is gone');
    });
    view.notify('ui/notifications/initialized');
    expect(await bridge.closed).toBe('port failed');
    expect(view.send).toHaveBeenCalledTimes(1);
  });

  test('handlers are not called after the end', async () => {
    const seen: unknown[] = [];
    const callTool: ViewHandlers['callTool'] = async (name) => {
      seen.push(name);
      return done;
    };
    const { view, bridge } = opened({ callTool, log: (entry) => void seen.push(entry) });
    await view.handshake();
    await bridge.teardown();
    view.notify('notifications/message', { level: 'info', data: 'x' });
    view.say({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'x' } });
    await settled();
    expect(seen).toEqual([]);
  });

  test('the end of a bridge clears all timers', async () => {
    const running = new Set<() => void>();
    class Watched extends HeldClock {
      override after(ms: number, run: () => void): () => void {
        const stop = super.after(ms, run);
        const stopped = (): void => {
          running.delete(stopped);
          stop();
        };
        running.add(stopped);
        return stopped;
      }
    }
    const { bridge } = opened({}, { clock: new Watched() });
    expect(running.size).toBe(1);
    await bridge.teardown();
    expect(running.size).toBe(0);
  });

  test('a request that is running at the end gets no response', async () => {
    let finish: (() => void) | undefined;
    const callTool: ViewHandlers['callTool'] = () =>
      new Promise((resolve) => {
        finish = () => resolve(done);
      });
    const { view, bridge } = opened({ callTool });
    await view.handshake();
    view.say({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'x' } });
    await bridge.teardown();
    finish?.();
    await settled();
    expect(view.heard.some(({ id }) => id === 7)).toBe(false);
  });
});
