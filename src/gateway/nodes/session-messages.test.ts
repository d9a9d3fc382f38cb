/** Callers with a session behind a load balancer: their messages can reach a node that does not wait for them. */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { soon } from '../../../test/support/soon.ts';
import { createServer, tool } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { memoryBackend } from '../../stores/memory-backend.ts';
import { sharedStores } from '../../stores/shared-stores.ts';
import { serveHttp } from '../../transport/node.ts';
import { GatewayServer } from '../gateway.ts';

const keys = [randomBytes(32)];
const ship = { type: 'object', properties: { ship: { type: 'string' } }, required: ['ship'] } as const;

/** Two HTTP nodes that share a store, in front of one server. */
async function setUp() {
  const seen = { aborted: false, called: false };
  const ask = tool({
    name: 'ask',
    run: async (_input, ctx) => {
      const answer = await ctx.ask('ship', 'Which ship?', ship);
      return `moored ${String(answer.value?.['ship'] ?? answer.action)}`;
    },
  });
  const drift = tool({
    name: 'drift',
    run: (_input, ctx) => {
      seen.called = true;
      return new Promise<string>((resolve) => {
        ctx.signal.addEventListener('abort', () => {
          seen.aborted = true;
          resolve('home');
        });
      });
    },
  });
  const server = createServer({ name: 'harbour', version: '1', onError: () => undefined, parts: [ask, drift] });
  const backend = memoryBackend();
  const urls: string[] = [];
  for (const _ of [0, 1]) {
    const gateway = new GatewayServer({
      name: 'acme',
      version: '1',
      stateKeys: keys,
      peer: { listen: { port: 0 }, keys, store: backend },
      upstreams: { harbour: server },
    });
    const listener = await serveHttp(gateway, {
      port: 0,
      sessions: sharedStores(backend).sessions,
      peers: gateway.peers,
    });
    urls.push(listener.url);
    onTestFinished(async () => {
      await listener.close();
      await gateway.close();
    });
  }
  return { seen, urls };
}

const post = (url: string | undefined, message: JsonObject, session?: string): Promise<Response> =>
  fetch(url ?? '', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });

async function openSession(url: string | undefined): Promise<string> {
  const capabilities = { elicitation: { form: {} } };
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  const response = await post(url, { id: 0, method: 'initialize', params });
  await response.text();
  const session = response.headers.get('mcp-session-id') ?? '';
  await post(url, { method: 'notifications/initialized' }, session);
  return session;
}

/** The messages of a stream, one at a time. */
async function* messagesOf(response: Response): AsyncGenerator<JsonObject> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    const events = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (\{.*)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data) as JsonObject; // a message
    }
  }
}

test('an answer that reaches another node than its question finds its way', async () => {
  const { urls } = await setUp();
  const session = await openSession(urls[0]);
  const stream = await post(urls[0], { id: 1, method: 'tools/call', params: { name: 'harbour__ask' } }, session);
  const messages = messagesOf(stream);
  const question = (await messages.next()).value as JsonObject; // the tool asks first
  expect(question).toMatchObject({ method: 'elicitation/create', id: expect.stringMatching(/^[\w-]{8}-\d+$/) });
  const result = { action: 'accept', content: { ship: 'Beagle' } };
  expect((await post(urls[1], { id: question['id'], result }, session)).status).toBe(202);
  const answer = (await messages.next()).value as JsonObject; // then it ends
  expect(answer).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'moored Beagle' }] } });
});

test('a cancellation that reaches another node than its call cancels the call', async () => {
  const { urls, seen } = await setUp();
  const session = await openSession(urls[0]);
  const call = post(urls[0], { id: 7, method: 'tools/call', params: { name: 'harbour__drift' } }, session);
  await soon(() => expect(seen.called).toBe(true));
  await post(urls[1], { method: 'notifications/cancelled', params: { requestId: 7 } }, session);
  await soon(() => expect(seen.aborted).toBe(true));
  await (await call).body?.cancel();
});

test('an answer to a question that no node asked is accepted and forgotten', async () => {
  const { urls } = await setUp();
  const session = await openSession(urls[0]);
  for (const id of ['unknown-1', 'x', 3]) expect((await post(urls[1], { id, result: {} }, session)).status).toBe(202);
});

test('a caller that answers hundreds of questions of nodes that never were does not keep the answer of another from its node', async () => {
  const { urls } = await setUp();
  const [other, session] = [await openSession(urls[1]), await openSession(urls[0])];
  const bogus = Array.from({ length: 300 }, (_, at) => post(urls[1], { id: `AAAAAAAA-${at}`, result: {} }, other));
  for (const { status } of await Promise.all(bogus)) expect(status).toBe(202);
  const stream = await post(urls[0], { id: 1, method: 'tools/call', params: { name: 'harbour__ask' } }, session);
  const messages = messagesOf(stream);
  const question = (await messages.next()).value as JsonObject; // the tool asks first
  const result = { action: 'accept', content: { ship: 'Beagle' } };
  await post(urls[1], { id: question['id'], result }, session);
  const answer = (await messages.next()).value as JsonObject; // then it ends
  expect(answer).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'moored Beagle' }] } });
});
