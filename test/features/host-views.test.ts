/** Views of servers behind the gate of a host: real servers, every revision, and a page whose messages a test writes. */
import { describe, expect, test } from 'vitest';
import type { ViewBridge } from '../../src/extensions/apps/bridge.ts';
import type { ConnectViewOptions, View } from '../../src/host/apps/app-types.ts';
import { memoryAudit } from '../../src/host/audit/memory-audit.ts';
import type { ConsentQuestion } from '../../src/host/consent/consent.ts';
import { createHost } from '../../src/host/create-host.ts';
import type { Host, HostOptions } from '../../src/host/host.ts';
import { rules } from '../../src/host/policy/rules.ts';
import type { Session } from '../../src/host/session.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import { FakeServer, type Handler } from '../support/fake-server.ts';
import { settled } from '../support/held-clock.ts';
import { MemoryView } from '../support/memory-view.ts';
import { verifies } from '../support/verifies.ts';

const ORDERS = 'ui://shop/orders';
const MIME = 'text/html;profile=mcp-app';
const page = (html: string, more: JsonObject = {}): JsonObject => ({
  uri: ORDERS,
  mimeType: MIME,
  text: html,
  ...more,
});
const said = (text: string): JsonObject => ({ content: [{ type: 'text', text }], resultType: 'complete' });
const tool = (name: string, ui?: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object' },
  ...(ui === undefined ? {} : { _meta: { ui } }),
  ...more,
});

/** A shop with a view, of which a test changes what it likes. */
class Shop {
  contents: readonly JsonObject[] = [page('<!doctype html><title>Orders</title>')];
  listed: readonly JsonObject[] = [];
  tools: readonly JsonObject[] = [
    tool('orders', { resourceUri: ORDERS }, { annotations: { readOnlyHint: true } }),
    tool('ship', { resourceUri: ORDERS, visibility: ['app'] }),
    tool('refund', { visibility: ['model'] }),
    tool('stock'),
  ];
  readonly server: FakeServer;

  constructor(revision = '2025-11-25', on: Record<string, Handler> = {}) {
    const cached = { ttlMs: 0, cacheScope: 'private' };
    this.server = new FakeServer({
      revision,
      capabilities: { tools: { listChanged: true }, resources: {} },
      on: {
        'tools/list': () => ({ tools: this.tools, ...cached }),
        'tools/call': ({ name }) => said(`${String(name)} done`),
        'resources/list': () => ({ resources: this.listed, ...cached }),
        'resources/read': () => ({ contents: this.contents, ...cached, resultType: 'complete' }),
        ...on,
      },
    });
  }
}

class Staged implements AsyncDisposable {
  readonly asked: ConsentQuestion[] = [];
  readonly visited: string[] = [];
  readonly audit = memoryAudit();
  readonly warnings: string[] = [];
  readonly host: Host;
  readonly session: Session;
  answer = true;

  constructor(options: Partial<HostOptions> & Pick<HostOptions, 'servers'>) {
    this.host = createHost({
      apps: true,
      policy: [rules.allow({ kind: ['connect', 'resource'] })],
      audit: this.audit,
      health: false,
      onWarning: (warning) => void this.warnings.push(warning),
      consent: (question) => {
        this.asked.push(question);
        return { allow: this.answer };
      },
      questions: {
        form: async () => ({ action: 'decline' }),
        open: async (url) => void this.visited.push(url),
      },
      ...options,
    });
    this.session = this.host.session({ principal: 'ada' });
  }

  /** The view of the orders, rendered and ready. */
  async shown(options: ConnectViewOptions = {}): Promise<{ port: MemoryView; bridge: ViewBridge; view: View }> {
    const view = await this.session.openView('shop.orders');
    const port = new MemoryView();
    const bridge = view.connect(port, options);
    await port.handshake();
    return { port, bridge, view };
  }

  /** What was asked, as words. */
  get questions(): readonly string[] {
    return this.asked.map(
      ({ act }) => `${act.kind} ${act.name}${act.by === undefined ? '' : ` by ${act.by} ${act.view}`}`,
    );
  }

  /** What the audit says was decided about acts of views. */
  get recorded(): readonly string[] {
    return this.audit.records.flatMap(({ phase, act, allowed }) =>
      phase === 'decided' && act.by === 'app' ? [`${act.kind} ${act.name} ${allowed ? 'allowed' : 'denied'}`] : [],
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.host.close();
  }
}

const call = (port: MemoryView, name: string, args: JsonObject = {}): Promise<JsonObject | undefined> =>
  port.ask('tools/call', { name, arguments: args });

describe.each(revisions.map(({ id }) => id).toReversed())('a server that speaks %s', (revision) => {
  test('is told that the host shows views, and its view calls its tool through the gate', async () => {
    verifies('APP-1', 'APP-11', 'APP-41', 'APP-44', 'APP-49', 'EXT-11');
    const shop = new Shop(revision);
    await using staged = new Staged({ servers: { shop: shop.server.transport } });
    const args = { customer: 'ada' };
    const result = staged.session.call('shop.orders', args);
    const { port, bridge } = await staged.shown({ call: { arguments: args, result } });
    await result;
    const opening = [...shop.server.params('initialize'), ...shop.server.params('tools/call')];
    expect(JSON.stringify(opening[0])).toContain(
      '"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}',
    );
    await settled();
    expect(port.told).toEqual(['ui/notifications/tool-input', 'ui/notifications/tool-result']);
    expect(port.paramsOf('ui/notifications/tool-result')).toEqual([
      { content: [{ type: 'text', text: 'orders done' }] },
    ]);
    expect(await call(port, 'ship', { order: 7 })).toMatchObject({
      result: { content: [{ type: 'text', text: 'ship done' }] },
    });
    expect(shop.server.params('tools/call').map(({ name, arguments: given }) => [name, given])).toEqual([
      ['orders', args],
      ['ship', { order: 7 }],
    ]);
    expect(staged.questions).toEqual(['tool orders', `tool ship by app ${ORDERS}`]);
    expect(staged.recorded).toEqual(['tool ship allowed']);
    await bridge.teardown();
  });
});
