/** Servers that are replaced between any two messages of a conversation. */
import { describe, expect, test } from 'vitest';
import { type Client, connect } from '../../src/connect/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import { memoryEventLog } from '../../src/transport/http/memory-event-log.ts';
import { memorySessionStore } from '../../src/transport/http/session-store.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { createHarbour } from '../fixtures/harbour.ts';
import { settled } from '../support/held-clock.ts';
import { Callers } from '../support/load.ts';
import { verifies } from '../support/verifies.ts';

const MEETING = '2025-11-25';
type Listening = Awaited<ReturnType<typeof serveHttp>>;

/** A session, message by message; the results must not depend on where the restart is. */
const conversation: readonly (readonly [string, JsonObject | undefined])[] = [
  ['notifications/initialized', undefined],
  ['tools/list', {}],
  ['logging/setLevel', { level: 'debug' }],
  ['resources/subscribe', { uri: 'harbour://log' }],
  ['tools/call', { name: 'whoami', arguments: {} }],
  ['resources/read', { uri: 'harbour://log' }],
  ['resources/unsubscribe', { uri: 'harbour://log' }],
];

describe('a session whose data is kept elsewhere', () => {
  /** Plays it, with another server from message `cut` on; returns all statuses and bodies. */
  async function play(cut: number): Promise<readonly (readonly [number, string])[]> {
    const shared = { sessions: memorySessionStore(), eventLog: memoryEventLog() };
    let listening: Listening = await serveHttp(createHarbour().server, { port: 0, ...shared });
    const port = Number(new URL(listening.url).port);
    let callers = new Callers(listening.url, 1);
    try {
      const params = { protocolVersion: MEETING, capabilities: {}, clientInfo: { name: 'boat', version: '1' } };
      const { headers } = await callers.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': MEETING };
      const answers: (readonly [number, string])[] = [];
      for (const [at, [method, sent]] of conversation.entries()) {
        if (at === cut) {
          await listening.close();
          callers[Symbol.dispose]();
          listening = await serveHttp(createHarbour().server, { port, ...shared });
          callers = new Callers(listening.url, 1);
        }
        const id = method.startsWith('notifications/') ? {} : { id: at };
        const { status, body } = await callers.post(
          { jsonrpc: '2.0', ...id, method, ...(sent === undefined ? {} : { params: sent }) },
          session,
        );
        answers.push([status, body]);
      }
      const ended = await callers.open('DELETE', session);
      ended.resume();
      answers.push([ended.statusCode ?? 0, '']);
      return answers;
    } finally {
      callers[Symbol.dispose]();
      await listening.close();
    }
  }

  test('goes on with another server, wherever the first one ends', async () => {
    const whole = await play(Number.POSITIVE_INFINITY);
    expect(whole.map(([status]) => status)).toEqual([202, 200, 200, 200, 200, 200, 200, expect.any(Number)]);
    for (const cut of conversation.keys()) expect([cut, await play(cut)]).toEqual([cut, whole]);
  });

  test('is served by two servers at once', async () => {
    const shared = { sessions: memorySessionStore(), eventLog: memoryEventLog() };
    const both = await Promise.all([1, 2].map(() => serveHttp(createHarbour().server, { port: 0, ...shared })));
    const [first, second] = both.map(({ url }) => new Callers(url, 1));
    try {
      const params = { protocolVersion: MEETING, capabilities: {}, clientInfo: { name: 'boat', version: '1' } };
      const opened = await first?.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      const session = { 'mcp-session-id': String(opened?.headers['mcp-session-id']), 'mcp-protocol-version': MEETING };
      await second?.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
      const whoami = { name: 'whoami', arguments: {} };
      for (const [id, callers] of [first, second, first].entries()) {
        const answer = await callers?.post({ jsonrpc: '2.0', id, method: 'tools/call', params: whoami }, session);
        expect([answer?.status, answer?.body]).toEqual([200, expect.stringContaining('boat')]);
      }
    } finally {
      for (const callers of [first, second]) callers?.[Symbol.dispose]();
      await Promise.all(both.map((one) => one.close()));
    }
  });
});

describe.each(revisions.map(({ id }) => id))('a client of ours, in %s', (revision) => {
  const steps: readonly ((client: Client) => Promise<unknown>)[] = [
    (client) => client.list('tools').all(),
    async (client) => (await client.call('whoami')).text,
    async (client) => (await client.read('harbour://log')).text,
    (client) => client.ping(),
    async (client) => (await client.list('prompts').all()).map(({ name }) => name),
  ];

  async function play(cut: number): Promise<readonly unknown[]> {
    let listening: Listening = await serveHttp(createHarbour().server, { port: 0, sse: '/sse' });
    const { port, origin } = new URL(listening.url);
    const url = revision === '2024-11-05' ? `${origin}/sse` : listening.url;
    try {
      await using client = await connect(url, { revisions: [revision], random: () => 0, onWarning: () => undefined });
      const results: unknown[] = [];
      for (const [at, step] of steps.entries()) {
        if (at === cut) {
          await listening.close();
          listening = await serveHttp(createHarbour().server, { port: Number(port), sse: '/sse' });
          // A call on a connection that has just ended has an unknown outcome, so wait until the end has arrived: it was sent, and is read in the
          // next turn, whereas a timer can be due before that.
          for (let turn = 0; turn < 10; turn++) await settled();
        }
        results.push(await step(client));
      }
      return results;
    } finally {
      await listening.close();
    }
  }

  test('does not notice a server that is started again and has forgotten everything', async () => {
    verifies('HTTP-064');
    const whole = await play(Number.POSITIVE_INFINITY);
    for (const cut of steps.keys()) expect([cut, await play(cut)]).toEqual([cut, whole]);
  });
});
