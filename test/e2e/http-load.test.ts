/** Many sessions, streams and calls over real sockets: all get responses, and memory is released. */
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION, SUBSCRIPTION_ID } from '../../src/model/names.ts';
import { eventually } from '../support/children.ts';
import { Callers, Harbourmaster, inParallel } from '../support/load.ts';
import { verifies } from '../support/verifies.ts';

const SESSIONS = 5_000;
const STREAMS = 1_000;
const CALLS = 100_000;
const STATELESS = '2026-07-28';
const MEETING = '2025-11-25';

let harbour: Harbourmaster;
beforeAll(async () => {
  harbour = await Harbourmaster.start();
}, 60_000);
afterAll(() => harbour[Symbol.asyncDispose]());

const call = (id: number, method: string, params: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const stateless = (id: number, method: string, params: JsonObject = {}): JsonObject =>
  call(id, method, { ...params, _meta: { [PROTOCOL_VERSION]: STATELESS, [CLIENT_CAPABILITIES]: {} } });
const statelessHeaders = (method: string, name?: string): Record<string, string> => ({
  'mcp-protocol-version': STATELESS,
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

async function openSession(callers: Callers, id: number): Promise<string> {
  const params = { protocolVersion: MEETING, capabilities: {}, clientInfo: { name: `boat ${id}`, version: '1' } };
  const { status, headers } = await callers.post(call(id, 'initialize', params));
  const session = String(headers['mcp-session-id']);
  const sent = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const ready = await callers.post(sent, { 'mcp-session-id': session, 'mcp-protocol-version': MEETING });
  if (status !== 200 || ready.status !== 202) throw new Error(`session ${id}: ${status}, ${ready.status}`);
  return session;
}

test(`${SESSIONS} sessions are kept apart, cost little, and are gone when they are deleted`, {
  timeout: 120_000,
}, async () => {
  verifies('HTTP-063');
  using callers = new Callers(harbour.url);
  // Warm-up: what is loaded with the first session is not part of the cost of a session.
  await openSession(callers, 0);
  const before = await harbour.heap();
  const sessions: string[] = [];
  await inParallel(SESSIONS, 64, async (at) => {
    sessions[at] = await openSession(callers, at);
  });
  const each = ((await harbour.heap()) - before) / SESSIONS;
  expect(new Set(sessions).size).toBe(SESSIONS);
  await inParallel(SESSIONS, 64, async (at) => {
    const headers = { 'mcp-session-id': sessions[at] ?? '', 'mcp-protocol-version': MEETING };
    const { status, body } = await callers.post(call(at, 'tools/call', { name: 'whoami', arguments: {} }), headers);
    const answer = JSON.parse(body) as { id: number; result: { structuredContent: { client: string } } }; // checked next
    expect([status, answer.id, answer.result.structuredContent.client]).toEqual([200, at, `boat ${at}`]);
  });
  await inParallel(SESSIONS, 64, async (at) => {
    const headers = { 'mcp-session-id': sessions[at] ?? '', 'mcp-protocol-version': MEETING };
    const response = await callers.open('DELETE', headers);
    response.resume();
    expect(response.statusCode).toBeLessThan(300);
  });
  const gone = { 'mcp-session-id': sessions[7] ?? '', 'mcp-protocol-version': MEETING };
  expect((await callers.post(call(1, 'tools/list'), gone)).status).toBe(404);
  const after = ((await harbour.heap()) - before) / SESSIONS;
  console.log(`an idle session holds ${Math.round(each)} bytes of heap; after its end, ${Math.round(after)}`);
  expect(each).toBeLessThan(2_048);
  expect(after).toBeLessThan(512);
});

describe(`${STREAMS} streams of news`, () => {
  test('all hear of a change, each under its own name', { timeout: 120_000 }, async () => {
    verifies('SUBS-008', 'SUBS-017');
    using callers = new Callers(harbour.url, Number.POSITIVE_INFINITY);
    const before = await harbour.heap();
    const heard: string[] = Array.from({ length: STREAMS }, () => '');
    const streams: IncomingMessage[] = [];
    await inParallel(STREAMS, 32, async (at) => {
      const body = stateless(at, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
      const response = await callers.open('POST', statelessHeaders('subscriptions/listen'), JSON.stringify(body));
      response.setEncoding('utf8').on('data', (text: string) => {
        heard[at] += text;
      });
      streams.push(response);
    });
    await eventually('all are acknowledged', () => heard.every((text) => text.includes('acknowledged')), 30_000);
    const each = ((await harbour.heap()) - before) / STREAMS;
    const season = stateless(1, 'tools/call', { name: 'season', arguments: { open: true } });
    expect((await callers.post(season, statelessHeaders('tools/call', 'season'))).status).toBe(200);
    await eventually('all have heard', () => heard.every((text) => text.includes('tools/list_changed')), 30_000);
    for (const [at, text] of heard.entries()) {
      const ids = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => subscriptionIn(data));
      expect(ids).toEqual([at, at]);
    }
    for (const stream of streams) stream.destroy();
    await eventually('the streams are closed', () => streams.every(({ closed }) => closed));
    console.log(`an open stream of news holds ${Math.round(each)} bytes of heap`);
    expect(each).toBeLessThan(32_768);
    // The slots are free again.
    const again = stateless(2, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    await eventuallyOpens(callers, again);
  });
});

const subscriptionIn = (data: string): unknown => {
  const { params } = JSON.parse(data) as { params: { _meta: JsonObject } }; // a notification of ours
  return params._meta[SUBSCRIPTION_ID];
};

async function eventuallyOpens(callers: Callers, message: JsonObject): Promise<void> {
  const stream = await callers.open('POST', statelessHeaders('subscriptions/listen'), JSON.stringify(message));
  expect(stream.headers['content-type']).toBe('text/event-stream');
  stream.destroy();
}

test(`${CALLS} calls leave nothing behind`, { timeout: 300_000 }, async () => {
  using callers = new Callers(harbour.url, 32);
  const session = await openSession(callers, 1);
  const meeting = { 'mcp-session-id': session, 'mcp-protocol-version': MEETING };
  const tide = { name: 'whoami', arguments: {} };
  const calls = async (total: number): Promise<void> =>
    inParallel(total, 32, async (at) => {
      const { status } =
        at % 2 === 0
          ? await callers.post(stateless(at, 'tools/call', tide), statelessHeaders('tools/call', 'whoami'))
          : await callers.post(call(at, 'tools/call', tide), meeting);
      if (status !== 200) throw new Error(`call ${at}: ${status}`);
    });
  await calls(5_000);
  const before = await harbour.heap();
  const began = performance.now();
  await calls(CALLS);
  const perSecond = Math.round((CALLS / (performance.now() - began)) * 1000);
  const grown = (await harbour.heap()) - before;
  console.log(`${CALLS} calls, ${perSecond} per second, heap grown by ${grown} bytes`);
  // Heap sizes vary, but a leak per call would exceed this.
  expect(grown).toBeLessThan(512 * 1024 + CALLS * 4);
});
