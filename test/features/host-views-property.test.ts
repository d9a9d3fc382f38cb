/**
 * Property: for any requests of a view, any policy and any answers, each message to a server has a record of this view that allows
 * it, and no other server receives it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rule } from '../../src/host/act/rule.ts';
import { memoryAudit } from '../../src/host/audit/memory-audit.ts';
import { createHost } from '../../src/host/create-host.ts';
import { rules } from '../../src/host/policy/rules.ts';
import { isRequest, type JsonObject } from '../../src/jsonrpc/message.ts';
import { canonicalJson } from '../../src/model/canonical.ts';
import { FakeServer } from '../support/fake-server.ts';
import { HeldClock, settled } from '../support/held-clock.ts';
import { MemoryView } from '../support/memory-view.ts';
import { verifies } from '../support/verifies.ts';

const VIEW = 'ui://shop/orders';
const tool = (name: string, ui: JsonObject): JsonObject => ({ name, inputSchema: { type: 'object' }, _meta: { ui } });
const tools = [
  tool('orders', { resourceUri: VIEW }),
  tool('ship', { visibility: ['app'] }),
  tool('refund', { visibility: ['model'] }),
  tool('secret', { visibility: [] }),
];

const serverOf = (): FakeServer =>
  new FakeServer({
    revision: '2025-11-25',
    on: {
      'tools/list': () => ({ tools }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
      'resources/list': () => ({ resources: [] }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/html;profile=mcp-app', text: '<p>' }] }),
    },
  });

const name = fc.constantFrom('orders', 'ship', 'refund', 'secret', 'bank.ship', 'shop.ship', 'constructor', '');
const request = fc.oneof(
  fc.record({
    method: fc.constant('tools/call'),
    params: fc.record({ name, arguments: fc.constantFrom({}, { to: 'eve' }) }),
  }),
  fc.record({
    method: fc.constant('tools/call'),
    params: fc.record({ name, server: fc.constant('bank'), _meta: fc.object() }),
  }),
  fc.record({
    method: fc.constant('resources/read'),
    params: fc.record({ uri: fc.constantFrom('shop://1', 'bank://1', VIEW, 'file:///etc/passwd') }),
  }),
  fc.record({
    method: fc.constantFrom(
      'ui/open-link',
      'ui/message',
      'ui/update-model-context',
      'prompts/get',
      'tools/list',
      'roots/list',
    ),
    params: fc.constant({ url: 'https://a.test/', role: 'user', content: { type: 'text', text: 'hi' } }),
  }),
);
const rule: fc.Arbitrary<Rule> = fc
  .tuple(
    fc.constantFrom(rules.allow, rules.ask, rules.deny),
    fc.constantFrom(
      { by: 'app' },
      { kind: 'tool' },
      { by: 'app', name: 'ship' },
      { kind: 'resource' },
      { arguments: { to: 'eve' } },
      {} as const,
    ),
  )
  .map(([make, match]) => make(match as Parameters<typeof make>[0])); // one of the above

test('what a view sends to its server is on record as its own, and no other server hears of it', async () => {
  verifies('APP-17', 'APP-18', 'APP-49');
  const total = { sent: 0, denied: 0 };
  const holds = fc.asyncProperty(
    fc.array(rule, { maxLength: 3 }),
    fc.array(fc.tuple(request, fc.boolean()), { minLength: 1, maxLength: 8 }),
    async (policy, steps) => {
      const [shop, bank, audit, view] = [serverOf(), serverOf(), memoryAudit(), new MemoryView()];
      let agrees = true;
      const host = createHost({
        apps: true,
        servers: { shop: shop.transport, bank: bank.transport },
        policy: [rules.allow({ kind: 'connect' }), ...policy],
        consent: () => ({ allow: agrees }),
        questions: { form: async () => ({ action: 'decline' }), open: async () => undefined },
        audit,
        health: false,
        // On a busy machine, a list could be late, and be requested again in the middle.
        clock: new HeldClock(),
        onWarning: () => undefined,
      });
      const session = host.session();
      await session.tools();
      const opened = await session.openView('shop.orders').catch(() => undefined);
      if (opened === undefined) return host.close();
      opened.connect(view, { onMessage: () => undefined });
      await view.handshake();
      const [from, heardByBank] = [shop.heard.length, bank.heard.length];
      for (const [{ method, params }, answer] of steps) {
        agrees = answer;
        await view.ask(method, params);
      }
      await settled();
      const allowed = audit.records.filter(
        ({ phase, allowed: is, act }) => phase === 'decided' && is && act.by === 'app',
      );
      const left = allowed.map(({ act }) => canonicalJson([act.kind, act.server, act.name, act.arguments, act.view]));
      for (const message of shop.heard.slice(from)) {
        if (!isRequest(message) || message.method.endsWith('/list')) continue;
        const { name: called, arguments: args = {}, uri, _meta: _, ...rest } = message.params ?? {};
        expect(rest).toEqual({});
        const done =
          message.method === 'tools/call' ? ['tool', 'shop', called, args, VIEW] : ['resource', 'shop', uri, {}, VIEW];
        const at = left.indexOf(canonicalJson(done));
        expect([message.method, called ?? uri, at !== -1]).toEqual([message.method, called ?? uri, true]);
        left.splice(at, 1);
        expect(['refund', 'secret']).not.toContain(called);
        total.sent++;
      }
      expect(bank.heard).toHaveLength(heardByBank);
      expect(JSON.stringify(shop.heard.slice(from))).not.toMatch(/ui\/|prompts|roots/);
      total.denied += audit.records.filter(({ act, allowed: is }) => act.by === 'app' && !is).length;
      await host.close();
    },
  );
  await fc.assert(holds, { numRuns: 80 });
  // Makes sure that the property was tested on something.
  expect([total.sent > 10, total.denied > 10]).toEqual([true, true]);
});
