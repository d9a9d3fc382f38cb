/** Our handler in other web frameworks, each with its own way of passing requests and responses. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { httpHandler } from '../../src/index.ts';
import { type NodeHandler, nodeHandler } from '../../src/transport/node.ts';
import { port } from '../fixtures/port.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Serves a handler with a framework, and returns the URL of the endpoint. */
type Mount = (handler: NodeHandler) => Promise<string>;

const addressOf = async (server: Server, path = '/mcp'): Promise<string> => {
  if (!server.listening) await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`; // it listens on a port
};

const mounts: readonly [string, Mount][] = [
  ['node:http', (handler) => addressOf(createHttpServer(handler).listen(0, '127.0.0.1'))],
  [
    'Express, as a route',
    (handler) => {
      const app = express();
      app.all('/mcp', handler);
      return addressOf(app.listen(0, '127.0.0.1'));
    },
  ],
  [
    'Express, under a prefix and behind a body parser',
    (handler) => {
      const app = express();
      app.use(express.json());
      app.use('/api/mcp', handler);
      return addressOf(app.listen(0, '127.0.0.1'), '/api/mcp');
    },
  ],
  [
    'Fastify, which parses bodies itself',
    async (handler) => {
      const app = fastify();
      app.all('/mcp', (request, reply) => {
        reply.hijack();
        handler(Object.assign(request.raw, { body: request.body }), reply.raw);
      });
      await app.listen({ port: 0, host: '127.0.0.1' });
      closing.push(() => app.close());
      return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`; // it listens on a port
    },
  ],
  [
    'Hono on Node',
    (handler) => {
      const app = new Hono<{ Bindings: { incoming: IncomingMessage; outgoing: ServerResponse } }>();
      app.all('/mcp', (c) => {
        handler(c.env.incoming, c.env.outgoing);
        return RESPONSE_ALREADY_SENT;
      });
      return addressOf(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
    },
  ],
];

describe.each(mounts)('%s', (_name, mount) => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'carries %s: answers, streams, questions, news',
    async (revision) => {
      const { server } = port();
      const handler = nodeHandler(server);
      closing.push(() => handler.close(0));
      const url = await mount(handler);
      const asks = revision >= '2025-06-18';
      await using client = await connect(url, {
        revisions: [revision],
        ...(asks ? { elicit: () => ({ action: 'accept', content: { confirm: true } }) } : {}),
      });
      expect((await client.call('echo', { message: 'hi' })).text).toBe('hi');
      const seen: number[] = [];
      await client.call('count', { to: 3 }, { onProgress: ({ progress }) => seen.push(progress) });
      expect(seen).toEqual([1, 2, 3]);
      if (asks) expect((await client.call('sure')).text).toBe('yes');
      await using watch = client.watch({ tools: true });
      await watch.granted;
      await new Promise((resolve) => void setTimeout(resolve, 100));
      server.remove('large');
      expect(await watch.nextChange()).toEqual({ kind: 'tools' });
    },
  );
});

test('Hono serves the function from a request to a response, too', async () => {
  const { server } = port();
  const answer = httpHandler(server);
  const app = new Hono();
  app.all('/mcp', (c) => answer(c.req.raw));
  const url = await addressOf(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  for (const revision of ['2025-11-25', '2026-07-28']) {
    await using client = await connect(url, { revisions: [revision] });
    const seen: number[] = [];
    await client.call('count', { to: 3 }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  }
});
