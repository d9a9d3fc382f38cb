/** Nodes of `mooring gateway` with one file, a real Redis and a round-robin load balancer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import { connect } from '../../src/connect/index.ts';
import { createServer, tool } from '../../src/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { freePort } from '../support/free-port.ts';
import { startRedis } from './redis-server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const repository = resolve(import.meta.dirname, '../..');
/** The installed command, because loading TypeScript in three processes takes most of a minute. */
const cli = [join(repository, 'dist/cli/main.js')];

interface GatewayNode {
  readonly url: string;
  readonly ready: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

async function startNode(file: string): Promise<GatewayNode> {
  const [port, operations, peer] = [await freePort(), await freePort(), await freePort()];
  const env = { ...process.env, NO_COLOR: '1', OPERATIONS: `${operations}`, PEER: `${peer}` };
  const child = spawn(process.execPath, [...cli, 'gateway', file, '--port', `${port}`, '--json'], {
    cwd: import.meta.dirname,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  closing.push(async () => child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data'); // it is piped
  return { url: `http://127.0.0.1:${port}`, ready: `http://127.0.0.1:${operations}/ready`, child, ended };
}

/** Round-robin over ready nodes; if one accepts no connection, tries another one, because this process can have paused. */
async function balance(nodes: readonly GatewayNode[]): Promise<string> {
  let turn = 0;
  const next = async (): Promise<GatewayNode | undefined> => {
    for (let tries = 0; tries < nodes.length; tries++) {
      const node = nodes[turn++ % nodes.length];
      if (
        node !== undefined &&
        (await fetch(node.ready).then(
          ({ ok }) => ok,
          () => false,
        ))
      )
        return node;
    }
    return undefined;
  };
  const server = createHttpServer((request, response) => void pass(request, response));
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { method, headers, url = '/' } = request;
    const send = async (): Promise<void> => {
      const node = await next();
      const sent = httpRequest(`${node?.url}${url}`, { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      sent.on('error', (error) => {
        if ('code' in error && error.code === 'ECONNREFUSED') void send();
        else response.destroy();
      });
      response.on('close', () => sent.destroy());
      sent.end(body);
    };
    await send();
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`; // it listens on a port
}

async function askingServer(): Promise<string> {
  const order = tool({
    name: 'order',
    run: async (_, ctx) => {
      const size = await ctx.ask('size', 'Which size?', z.object({ size: z.enum(['S', 'L']) }));
      return size.accepted ? `ordered ${size.value.size}` : 'nothing ordered';
    },
  });
  const slow = tool({ name: 'slow', run: () => new Promise<string>((done) => setTimeout(() => done('done'), 50)) });
  const server = createServer({ name: 'shop', version: '1', revisions: ['2025-11-25'], parts: [order, slow] });
  const listener = await serveHttp(server, { port: 0 });
  closing.push(() => listener.close(0));
  return listener.url;
}

const key = Buffer.alloc(32, 7).toString('base64url');

test('nodes of one file behind a balancer without stickiness share sessions, go on with a question on any node, and lose no call when each is restarted', async () => {
  const redis = await startRedis();
  closing.push(() => redis.stop());
  const folder = await mkdtemp(join(tmpdir(), 'mooring-nodes-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'gateway.yaml');
  await writeFile(
    file,
    `operations: { listen: '127.0.0.1:\${env:OPERATIONS}' }
upstreams: { shop: { url: ${await askingServer()}, timeouts: { listMs: 60000 } } }
stores: { redis: redis://127.0.0.1:${redis.port} }
keys: { state: ${key}, peer: ${key} }
peer: { listen: '127.0.0.1:\${env:PEER}', advertise: 'http://127.0.0.1:\${env:PEER}' }
drain: { settleMs: 500, drainMs: 10000 }
`,
  );
  const nodes = [await startNode(file), await startNode(file), await startNode(file)];
  const url = await balance(nodes);
  const elicit = { form: () => ({ action: 'accept', content: { size: 'L' } }) as const };
  for (const revision of ['2026-07-28', '2025-11-25']) {
    await using client = await connect(url, { revisions: [revision], elicit });
    for (let round = 0; round < 4; round++) expect((await client.call('shop__order')).text).toBe('ordered L');
  }
  await using older = await connect(url, { revisions: ['2025-06-18'] });
  await using newer = await connect(url);
  const failures: unknown[] = [];
  let answered = 0;
  let isOver = false;
  const load = [older, newer].map(async (client) => {
    while (!isOver)
      await client.call('shop__slow').then(
        () => answered++,
        (thrown: unknown) => failures.push(thrown),
      );
  });
  for (const [at, node] of nodes.entries()) {
    node.child.kill('SIGTERM');
    expect(await node.ended).toBe(0);
    nodes[at] = await startNode(file);
  }
  isOver = true;
  await Promise.all(load);
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(20);
}, 180_000);
