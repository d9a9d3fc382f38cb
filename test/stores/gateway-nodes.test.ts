/** A gateway of several processes with a real Redis: retries reach any node, and nodes are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Client, Progress, RawRequestOptions } from '../../src/client/index.ts';
import { connect } from '../../src/connect/index.ts';
import { createServer, tool } from '../../src/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { type HttpListener, serveHttp } from '../../src/transport/node.ts';
import { bundleProgram } from './laboratory.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

const ship = { type: 'object', properties: { ship: { type: 'string' } }, required: ['ship'] } as const;
const KEY = randomBytes(32).toString('base64url');

let folder = '';
let program = '';
let redis: RedisServer;
let harbour: HttpListener;
const seen = { runs: 0, aborted: 0, finish: (): void => undefined };
const nodes = new Set<ChildProcess>();
const clients: Client[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-nodes-'));
  program = await bundleProgram('gateway-node', folder);
  redis = await startRedis();
  const ask = tool({
    name: 'ask',
    run: async (_input, ctx) => {
      seen.runs++;
      ctx.signal.addEventListener('abort', () => seen.aborted++);
      const answer = await ctx.ask('ship', 'Which ship?', ship);
      ctx.progress(1, 2);
      if (answer.value?.['ship'] === 'slow')
        await new Promise<void>((resolve) => {
          seen.finish = resolve;
        });
      return `moored ${String(answer.value?.['ship'] ?? answer.action)}`;
    },
  });
  harbour = await serveHttp(createServer({ name: 'harbour', version: '1', onError: () => undefined, parts: [ask] }), {
    port: 0,
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close().catch(() => undefined);
  for (const node of nodes) node.kill('SIGKILL');
  nodes.clear();
  [seen.runs, seen.aborted] = [0, 0];
});
afterAll(async () => {
  await harbour.close();
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

interface GatewayNode {
  readonly client: Client;
  kill(): Promise<void>;
}
async function startNode(): Promise<GatewayNode> {
  const env = { ...process.env, REDIS_PORT: `${redis.port}`, UPSTREAM: harbour.url, KEY };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  nodes.add(child);
  const [url] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]; // it prints its URL
  const client = await connect(url.trim(), { onWarning: () => undefined });
  clients.push(client);
  return {
    client,
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const call = { name: 'harbour__ask', arguments: {} };
const options: RawRequestOptions = { capabilities: { elicitation: { form: {} } } };
const begin = ({ client }: GatewayNode): Promise<JsonObject> =>
  client.request('tools/call', call, { ...options, onProgress: () => undefined });
const retry = (
  { client }: GatewayNode,
  { requestState }: JsonObject,
  name: string,
  onProgress: (progress: Progress) => void = () => undefined,
): Promise<JsonObject> => {
  const inputResponses = { q1: { action: 'accept', content: { ship: name } } };
  return client.request('tools/call', { ...call, inputResponses, requestState }, { ...options, onProgress });
};
const moored = (name: string): object => ({ content: [{ type: 'text', text: `moored ${name}` }] });

test('a retry on another process resumes the call where it waits; on a process that was killed it ends as unknown', async () => {
  const [one, two] = await Promise.all([startNode(), startNode()]);
  expect(await retry(two, await begin(one), 'Beagle')).toMatchObject(moored('Beagle'));
  expect(seen.runs).toBe(1);
  const asks = await begin(one);
  await one.kill();
  await expect(retry(two, asks, 'Beagle')).rejects.toMatchObject({
    code: -32603,
    data: { outcome: 'unknown', label: 'harbour' },
  });
  expect(seen.runs).toBe(2);
});

test('a process that is killed while it forwards a retry cancels nothing: the same retry through another gets the outcome', async () => {
  const [one, two, three] = await Promise.all([startNode(), startNode(), startNode()]);
  const asks = await begin(one);
  let isUnderWay = false;
  const lost = retry(two, asks, 'slow', () => {
    isUnderWay = true;
  });
  lost.catch(() => undefined);
  await vi.waitFor(() => expect(isUnderWay).toBe(true), { timeout: 20_000 });
  await two.kill();
  await expect(lost).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
  const again = retry(three, asks, 'slow');
  seen.finish();
  expect(await again).toMatchObject(moored('slow'));
  expect([seen.runs, seen.aborted]).toEqual([1, 0]);
});
