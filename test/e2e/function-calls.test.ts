/**
 * JavaScript function calls per request, Node's own among them, as V8 counts them in a real server process: the same number on every
 * machine and under any load, so that a test may hold it. A server by hand that only parses and answers makes about 505.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from '../../src/model/names.ts';
import { Callers } from '../support/load.ts';

/** Where it stands, which was the goal. It must not grow; a change that makes it smaller writes the new number here. */
const MOST = 640;
const CALLS = 200;

const program = `
  import { Session } from 'node:inspector';
  import * as z from 'zod';
  import { createServer, tool } from '../../src/index.ts';
  import { serveHttp } from '../../src/transport/node.ts';
  const echo = tool({ name: 'echo', input: z.object({ message: z.string() }), run: ({ message }) => message });
  const { url } = await serveHttp(createServer({ name: 'quay', version: '1', parts: [echo] }), { port: 0 });
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('message', () => session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    const counts = result.flatMap(({ functions }) => functions.map(({ ranges: [range] }) => range.count));
    process.send(counts.reduce((sum, count) => sum + count, 0));
  }));
  process.once('disconnect', () => process.exit());
  process.send(url);
`;

const folder = `.cache/function-calls-${process.pid}`;
let child: ChildProcess;
let url: string;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/program.ts`, program);
  const output = { file: `${folder}/program.mjs`, format: 'esm', codeSplitting: false } as const;
  await build({ input: `./${folder}/program.ts`, platform: 'node', output, logLevel: 'silent' });
  child = fork(output.file);
  [url] = (await once(child, 'message')) as [string]; // the first thing it says
}, 30_000);

afterAll(async () => {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
  rmSync(folder, { recursive: true, force: true });
});

/** Function calls in the server since the last time it was asked. */
async function counted(): Promise<number> {
  child.send('count');
  const [calls] = (await once(child, 'message')) as [number]; // its answer
  return calls;
}

const echo = { name: 'echo', arguments: { message: 'ahoy' } };
const request = (method: string, params: JsonObject): JsonObject => ({ jsonrpc: '2.0', id: 1, method, params });

/** After the first calls have been made: what is done once is not what a call costs. */
async function perCall(params: JsonObject, headers: Readonly<Record<string, string>>): Promise<number> {
  using callers = new Callers(url, 1);
  const calls = async (): Promise<void> => {
    for (let call = 0; call < CALLS; call++) {
      const { body } = await callers.post(request('tools/call', params), headers);
      expect(JSON.parse(body)).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'ahoy' }] } });
    }
  };
  await calls();
  await counted();
  await calls();
  return (await counted()) / CALLS;
}

test('a call in a session makes few function calls', async () => {
  using callers = new Callers(url, 1);
  const version = '2025-11-25';
  const hello = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'boat', version: '1' } };
  const opened = await callers.post(request('initialize', hello));
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'mcp-protocol-version': version };
  await callers.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  const made = await perCall(echo, headers);
  console.log(`${made.toFixed(0)} function calls in a session`);
  expect(made).toBeLessThanOrEqual(MOST);
});

test('a call without a session makes few function calls', async () => {
  const version = '2026-07-28';
  const _meta = { [PROTOCOL_VERSION]: version, [CLIENT_CAPABILITIES]: {} };
  const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
  const made = await perCall({ ...echo, _meta }, headers);
  console.log(`${made.toFixed(0)} function calls without a session`);
  expect(made).toBeLessThanOrEqual(MOST);
});
