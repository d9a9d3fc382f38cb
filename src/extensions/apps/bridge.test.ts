/** The bridge over a port in memory: what a view says, and what it gets to hear. */
import { describe, expect, test } from 'vitest';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { MemoryView } from '../../../test/support/memory-view.ts';
import { verifies } from '../../../test/support/verifies.ts';
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
});
