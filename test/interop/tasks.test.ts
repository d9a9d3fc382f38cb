/** Our tasks with other requesters: `ext-tasks` in both forms, and the official SDK, version 1. */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  resultFromTaskOutcome,
} from '@modelcontextprotocol/ext-tasks/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, ToolError, tool } from '../../src/index.ts';
import { type HttpListener, serveHttp } from '../../src/transport/node.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const clientInfo = { name: 'requester', version: '1.0.0' };
const yes = { action: 'accept' as const, content: { confirm: true } };

const order = tool({
  name: 'order',
  description: 'Orders something: two steps with a question between them',
  task: { required: true, pollMs: 200 },
  effects: 'read',
  async run(_, ctx) {
    const price = await ctx.once('price', () => 42);
    if (!(await ctx.confirm('go', `It costs ${price}. Go on?`))) throw new ToolError('Declined');
    return `Paid ${await ctx.once('charge', () => price)}`;
  },
});

const price = tool({
  name: 'price',
  description: 'Finds the price',
  task: { pollMs: 200 },
  effects: 'read',
  run: (_, ctx) => ctx.once('price', () => '42'),
});

let listener: HttpListener;
beforeAll(async () => {
  const server = createServer({ name: 'farm', version: '1.0.0', parts: [order, price], tasks: true });
  listener = await serveHttp(server, { port: 0 });
});
afterAll(() => listener.close(0));

test('ext-tasks, 2026-07-28: a task with a question, through rawDispatch', async () => {
  const capabilities = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };
  const client = new Client2(clientInfo, { capabilities, versionNegotiation: { mode: 'auto' } });
  await client.connect(new Http2(new URL(listener.url)));
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  const asked: unknown[] = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: 'farm',
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities: capabilities },
    rawDispatch: dispatch,
    onInputRequest: async (request) => {
      asked.push(request.params?.['message']);
      return yes as never; // the kind is elicitation, which determines the type
    },
  });
  const execution = await session.callTool('order', {});
  expect(execution.kind).toBe('task');
  const { outcome } = await execution.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: 'text', text: 'Paid 42' }] });
  expect(asked).toEqual(['It costs 42. Go on?']);
  await session.close();
  await client.close();
});

// While input is required, this requester only polls tasks/get, so it never gets a question, which needs tasks/result.
test('ext-tasks, 2025-11-25: a task without a question', async () => {
  const client = new Client2(clientInfo, { capabilities: {}, versionNegotiation: { mode: 'legacy' } });
  await client.connect(new Http2(new URL(listener.url)));
  const { tools } = await client.listTools();
  expect(tools.map(({ execution }) => execution?.taskSupport)).toEqual(['required', 'optional']);
  const session = createTaskSessionFromClient(client, { endpointId: 'farm' });
  const declaration = { name: 'price', inputSchema: { type: 'object' }, taskSupport: 'optional' as const };
  const execution = await session.callTool('price', {}, { declaration, task: { preference: 'require' } });
  expect(execution.kind).toBe('task');
  const { outcome } = await execution.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: 'text', text: '42' }] });
  await session.close();
  await client.close();
});

test('the SDK of version 1, 2025-11-25: the states of a task, and a question through tasks/result', async () => {
  const client = new Client1(clientInfo, { capabilities: { elicitation: { form: {} } } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return yes;
  });
  await client.connect(new Http1(new URL(listener.url)));
  await client.listTools();
  const stream = client.experimental.tasks.callToolStream({ name: 'order', arguments: {} }, CallToolResultSchema, {
    task: { ttl: 60_000 },
  });
  const kinds: string[] = [];
  let text: unknown;
  for await (const message of stream) {
    kinds.push(message.type);
    if (message.type === 'error') throw message.error;
    if (message.type === 'result') text = message.result.content;
  }
  expect([kinds[0], kinds.at(-1)]).toEqual(['taskCreated', 'result']);
  expect(text).toEqual([{ type: 'text', text: 'Paid 42' }]);
  expect(asked).toEqual(['It costs 42. Go on?']);
  const { tasks } = await client.experimental.tasks.listTasks();
  expect(tasks.map(({ status }) => status)).toEqual(['completed']);
  await client.close();
});

/** Sends a request of ext-tasks over HTTP directly, because the SDK does not send it. */
const dispatch: RawClientDispatch = async (request) => {
  const { method, params } = request as { method: string; params: Record<string, string> }; // a request without its id
  const name = params['taskId'] ?? params['name'];
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(listener.url, { method: 'POST', headers, body });
  const { result, error } = (await response.json()) as { result: never; error?: never }; // a response of JSON-RPC
  return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
};
