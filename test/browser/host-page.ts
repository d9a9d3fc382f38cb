/** The page of a host: shows views in frames, and records their messages. */
import { openBridge } from '../../src/extensions/apps/bridge.ts';
import type { ViewBridge } from '../../src/extensions/apps/bridge-types.ts';
import { mountView } from '../../src/extensions/apps/frame.ts';
import type { SandboxedView } from '../../src/extensions/apps/sandbox-types.ts';
import type { CallToolResult } from '../../src/model/parts.ts';
import { type Clock, systemClock } from '../../src/peer/clock.ts';

export interface ShownView {
  readonly container: HTMLElement;
  /** All messages of the port. */
  readonly messages: unknown[];
  readonly lost: string[];
  readonly warnings: string[];
  /** Requests to handlers of the bridge. */
  readonly asked: unknown[];
  readonly bridge: ViewBridge | undefined;
  close(): void;
}

const shown = new Map<string, ShownView>();
/** All messages to the window, from any sender. */
const strays: unknown[] = [];

/** Shortens long waits. */
const hurriedClock: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms === 10_000 ? 1_000 : ms, run) };

function show(name: string, view: SandboxedView, { bridge: withBridge = false, hurried = false }): void {
  const container = document.createElement('div');
  document.body.append(container);
  const [messages, lost, warnings, asked]: [unknown[], string[], string[], unknown[]] = [[], [], [], []];
  const clock = hurried ? hurriedClock : systemClock;
  const port = mountView(container, view, { title: name, clock, onLost: (why) => void lost.push(why) });
  const tapped = {
    send: port.send.bind(port),
    close: port.close.bind(port),
    onMessage: (listener: (message: unknown) => void): void =>
      port.onMessage((message) => {
        messages.push(message);
        listener(message);
      }),
  };
  const note =
    (what: string) =>
    (...args: unknown[]): Promise<never> => {
      asked.push([what, ...args.slice(0, -1)]);
      return Promise.reject(new Error('Not in this test'));
    };
  const bridge = withBridge
    ? openBridge(
        tapped,
        {
          callTool: async (name, args) => {
            asked.push(['callTool', name, args]);
            const response = await fetch('/call', { method: 'POST', body: JSON.stringify({ name, args }) });
            return (await response.json()) as CallToolResult; // the test's own server
          },
          openLink: note('openLink'),
          message: note('message'),
          updateContext: (context) => Promise.resolve(void asked.push(['updateContext', context])),
          log: (params) => void asked.push(['log', params]),
        },
        {
          hostInfo: { name: 'host-page', version: '1.0.0' },
          hostContext: { theme: 'dark', displayMode: 'inline', availableDisplayModes: ['inline'] },
          onWarning: (warning) => void warnings.push(warning),
        },
      )
    : undefined;
  if (bridge === undefined) tapped.onMessage(() => undefined);
  shown.set(name, { container, messages, lost, warnings, asked, bridge, close: () => port.close() });
}

addEventListener('message', ({ data }: MessageEvent<unknown>) => void strays.push(data));
Object.assign(globalThis, { show, shown, strays, secret: 'of the host page' });
