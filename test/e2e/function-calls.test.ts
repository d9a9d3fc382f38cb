/**
 * JavaScript function calls per request, including Node's own, which V8 counts deterministically in a real server process. The bare
 * Node baseline makes about 505 (bench: `function-calls`).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION, TASKS } from '../../src/model/names.ts';
import { Callers } from '../support/load.ts';

/** The current figure. It must not grow; a change that reduces it updates this number. */
const MOST = 635;
/** The same for a gateway, including its client. A proxy that only parses makes about 1,420. */
const MOST_OF_GATEWAY = 1_555;
/** A call that becomes a task and runs to its end, and a poll of a running task; in memory. */
const MOST_OF_TASK = 798;
const MOST_OF_POLL = 655;
const CALLS = 200;

const server = `
  import * as z from 'zod';
  import { createServer, tool } from '../../src/index.ts';
  const echo = tool({ name: 'echo', input: z.object({ message: z.string() }), run: ({ message }) => message });
  const served = createServer({ name: 'quay', version: '1', parts: [echo] });
`;

const yard = `
  import * as z from 'zod';
  import { createServer, tool } from '../../src/index.ts';
  const input = z.object({ message: z.string() });
  const later = tool({ name: 'later', input, task: true, run: ({ message }) => message });
  const never = tool({ name: 'never', input, task: { pollMs: 0 }, run: () => new Promise(() => undefined) });
  const served = createServer({ name: 'yard', version: '1', parts: [later, never], tasks: true });
`;

const gateway = `
  import { createGateway } from '../../src/gateway/index.ts';
  const upstreams = { quay: { url: process.argv[2] } };
  const served = createGateway({ name: 'gate', version: '1', upstreams, names: { style: 'bare', uris: 'as-is' } });
`;

const counting = `
  import { Session } from 'node:inspector';
  import { serveHttp } from '../../src/transport/node.ts';
  const { url } = await serveHttp(served, { port: 0 });
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('message', () => session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    let sum = 0;
    // With loops, because functions called here would be counted the next time.
    for (const { functions } of result) for (const { ranges } of functions) sum += ranges[0].count;
    process.send(sum);
  }));
  process.once('disconnect', () => process.exit());
  process.send(url);
`;

const folder = `.cache/function-calls-${process.pid}`;

/** A server process that reports the function calls since the last report. */
interface CountingProcess {
  readonly child: ChildProcess;
  readonly url: string;
}
const started: ChildProcess[] = [];
let quay: CountingProcess;

async function start(name: string, serving: string, ...args: string[]): Promise<CountingProcess> {
  writeFileSync(`${folder}/${name}.ts`, serving + counting);
  const output = { file: `${folder}/${name}.mjs`, format: 'esm', codeSplitting: false } as const;
  const external = [/^[^./]/];
  await build({ input: `./${folder}/${name}.ts`, platform: 'node', external, output, logLevel: 'silent' });
  const child = fork(output.file, args);
  started.push(child);
  const [url] = (await once(child, 'message')) as [string]; // the first thing it says
  return { child, url };
}

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  quay = await start('server', server);
});

afterAll(async () => {
  const exited = started.map((child) => once(child, 'exit'));
  for (const child of started) child.disconnect();
  await Promise.all(exited);
  rmSync(folder, { recursive: true, force: true });
});

async function counted({ child }: CountingProcess): Promise<number> {
  child.send('count');
  const [calls] = (await once(child, 'message')) as [number]; // its answer
  return calls;
}

const echo = { name: 'echo', arguments: { message: 'ahoy' } };
const request = (method: string, params: JsonObject): JsonObject => ({ jsonrpc: '2.0', id: 1, method, params });

/** After warm-up, because one-time work is not part of the cost of a call. */
async function perCall(
  of: CountingProcess,
  params: JsonObject,
  headers: Readonly<Record<string, string>>,
  { method = 'tools/call', result = { content: [{ type: 'text', text: 'ahoy' }] } as JsonObject } = {},
): Promise<number> {
  using callers = new Callers(of.url, 1);
  const calls = async (): Promise<void> => {
    for (let call = 0; call < CALLS; call++) {
      const { body } = await callers.post(request(method, params), headers);
      expect(JSON.parse(body)).toMatchObject({ id: 1, result });
    }
  };
  await calls();
  await counted(of);
  await calls();
  return (await counted(of)) / CALLS;
}

test('a call in a session makes few function calls', async () => {
  using callers = new Callers(quay.url, 1);
  const version = '2025-11-25';
  const hello = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'boat', version: '1' } };
  const opened = await callers.post(request('initialize', hello));
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'mcp-protocol-version': version };
  await callers.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  const made = await perCall(quay, echo, headers);
  console.log(`${made.toFixed(0)} function calls in a session`);
  expect(made).toBeLessThanOrEqual(MOST);
});

const version = '2026-07-28';
const stateless = { ...echo, _meta: { [PROTOCOL_VERSION]: version, [CLIENT_CAPABILITIES]: {} } };
const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };

test('a call without a session makes few function calls', async () => {
  const made = await perCall(quay, stateless, headers);
  console.log(`${made.toFixed(0)} function calls without a session`);
  expect(made).toBeLessThanOrEqual(MOST);
});

test('a call that becomes a task and a poll make few function calls', async () => {
  const tasks = await start('tasks', yard);
  const _meta = { [PROTOCOL_VERSION]: version, [CLIENT_CAPABILITIES]: { extensions: { [TASKS]: {} } } };
  const named = (method: string, name: string): Record<string, string> => ({
    ...{ 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name },
  });
  const begun = { result: { resultType: 'task', status: 'working' } };
  const made = await perCall(tasks, { ...echo, name: 'later', _meta }, named('tools/call', 'later'), begun);
  using callers = new Callers(tasks.url, 1);
  const sailing = request('tools/call', { ...echo, name: 'never', _meta });
  const { body } = await callers.post(sailing, named('tools/call', 'never'));
  const { taskId } = (JSON.parse(body) as { result: { taskId: string } }).result; // a handle
  const poll = { method: 'tasks/get', result: { status: 'working' } };
  const polled = await perCall(tasks, { taskId, _meta }, named('tasks/get', taskId), poll);
  console.log(`${made.toFixed(0)} function calls for a task, ${polled.toFixed(0)} for a poll`);
  expect(made).toBeLessThanOrEqual(MOST_OF_TASK);
  expect(polled).toBeLessThanOrEqual(MOST_OF_POLL);
});

// Runs last: the gateway listens for changes, which calls functions in the server, too.
test('a call through a gateway makes few function calls', async () => {
  const gate = await start('gateway', gateway, quay.url);
  const made = await perCall(gate, stateless, headers);
  console.log(`${made.toFixed(0)} function calls through a gateway`);
  expect(made).toBeLessThanOrEqual(MOST_OF_GATEWAY);
});
