/** Tasks over HTTP: headers with the id, responses without streams, and isolation of sessions. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { AuthRequest } from '../../src/model/auth.ts';
import type { AuthInfo } from '../../src/model/caller.ts';
import { createServer } from '../../src/server/server.ts';
import { tool } from '../../src/server/tool.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { ask } from '../support/http-raw.ts';
import { declared } from '../support/tasks.ts';
import { verifies } from '../support/verifies.ts';

const work = tool({ name: 'work', description: 'Works', effects: 'read', task: true, run: () => 'done' });
const server = createServer({ name: 'yard', version: '1', parts: [work], tasks: true });
const VERSION = '2026-07-28';
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
const _meta = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': declared,
};
let served: Awaited<ReturnType<typeof serveHttp>>;
beforeAll(async () => {
  served = await serveHttp(server, { port: 0 });
});
afterAll(async () => {
  server.close();
  await served.close();
});

interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly session: string;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number };
}
async function send(
  method: string,
  params: JsonObject,
  headers: Readonly<Record<string, string>>,
  url = served.url,
): Promise<Reply> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { status, headers: got, text } = await ask(url, { body, headers });
  const { result, error } = JSON.parse(text) as Pick<Reply, 'result' | 'error'>; // a response
  const rest = { status, type: got['content-type'], session: String(got['mcp-session-id']) };
  return { ...rest, ...(result && { result }), ...(error && { error }) };
}
const stateless = (method: string, name: string, params: JsonObject): Promise<Reply> =>
  send(method, { ...params, _meta }, { 'mcp-protocol-version': VERSION, 'mcp-method': method, 'mcp-name': name });

test('the header Mcp-Name repeats the id of the task, and a difference is rejected', async () => {
  verifies('TASK-120');
  const { result } = await stateless('tools/call', 'work', { name: 'work' });
  const taskId = String(result?.['taskId']);
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const params = { taskId, inputResponses: {} };
    expect(await stateless(method, taskId, params)).toMatchObject({ status: 200, result: { resultType: 'complete' } });
    expect(await stateless(method, 'another', params)).toMatchObject({ status: 400, error: { code: -32020 } });
  }
});

test('tasks/get is answered without a stream, and a session sees its own tasks only', async () => {
  verifies('TASK-51', 'TASK-60');
  const join = async (): Promise<Readonly<Record<string, string>>> => {
    const { session } = await send('initialize', HELLO, {});
    return { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  };
  const [ada, eve] = [await join(), await join()];
  const made = await send('tools/call', { name: 'work', task: {} }, ada);
  const taskId = (made.result?.['task'] as JsonObject | undefined)?.['taskId']; // the older form nests it
  const got = await send('tasks/get', { taskId }, ada);
  expect([got.type, got.result?.['taskId']]).toEqual([expect.stringContaining('application/json'), taskId]);
  expect((await send('tasks/list', {}, ada)).result).toMatchObject({ tasks: [{ taskId }] });
  expect((await send('tasks/list', {}, eve)).result).toEqual({ tasks: [] });
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    expect((await send(method, { taskId }, eve)).error).toEqual({ code: -32602, message: 'Unknown task' });
  }
});

test('callers without a session or authorization cannot be told apart: they are offered no list, and see no task by asking for one', async () => {
  verifies('TASK-51', 'TASK-103');
  const open = await serveHttp(server, { port: 0, sessions: 'none' });
  try {
    const there = (method: string, params: JsonObject): Promise<Reply> =>
      send(method, params, { 'mcp-protocol-version': '2025-11-25' }, open.url);
    const { result: hello } = await there('initialize', HELLO);
    expect(hello?.['capabilities']).toMatchObject({ tasks: { cancel: {}, requests: { tools: { call: {} } } } });
    expect(hello).not.toHaveProperty('capabilities.tasks.list');
    const made = await there('tools/call', { name: 'work', task: {} });
    const taskId = (made.result?.['task'] as JsonObject | undefined)?.['taskId']; // the older form nests it
    expect((await there('tasks/get', { taskId })).result).toMatchObject({ taskId });
    expect((await there('tasks/list', {})).result).toEqual({ tasks: [] });
  } finally {
    await open.close();
  }
});

test('without sessions, authorization tells callers apart: each is offered a list of its own tasks', async () => {
  verifies('TASK-49', 'TASK-51');
  const auth = (request: AuthRequest): AuthInfo => ({ subject: request.header('authorization') ?? '', scopes: [] });
  const open = await serveHttp(server, { port: 0, sessions: 'none', auth });
  try {
    const as = (authorization: string, method: string, params: JsonObject = {}): Promise<Reply> =>
      send(method, params, { 'mcp-protocol-version': '2025-11-25', authorization }, open.url);
    expect((await as('ada', 'initialize', HELLO)).result).toHaveProperty('capabilities.tasks.list');
    await as('ada', 'tools/call', { name: 'work', task: {} });
    expect((await as('ada', 'tasks/list')).result).toMatchObject({ tasks: [{ status: expect.any(String) }] });
    expect((await as('eve', 'tasks/list')).result).toEqual({ tasks: [] });
  } finally {
    await open.close();
  }
});

test('a client hears the progress of its task over HTTP', async () => {
  const heard = new AbortController();
  const slow = tool({
    name: 'slow',
    effects: 'read',
    task: { pollMs: 60_000 },
    run: (_input, ctx) =>
      new Promise<string>((resolve) => {
        heard.signal.addEventListener('abort', () => resolve('heard'));
        ctx.progress(1, 2);
      }),
  });
  const yard = createServer({ name: 'yard', version: '1', parts: [slow], tasks: true });
  const there = await serveHttp(yard, { port: 0 });
  try {
    await using client = await connect(there.url, { tasks: true, revisions: ['2025-11-25'] });
    const signal = AbortSignal.timeout(4_000);
    expect((await client.call('slow', {}, { signal, onProgress: () => heard.abort() })).text).toBe('heard');
  } finally {
    yard.close();
    await there.close();
  }
});
