/** Tasks over HTTP: headers that repeat the id, answers without streams, and sessions that cannot see each other's tasks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { createServer } from '../../src/server/server.ts';
import { tool } from '../../src/server/tool.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { ask } from '../support/http-raw.ts';
import { declared } from '../support/tasks.ts';
import { verifies } from '../support/verifies.ts';

const work = tool({ name: 'work', description: 'Works', effects: 'read', task: true, run: () => 'done' });
const server = createServer({ name: 'yard', version: '1', parts: [work], tasks: true });
const VERSION = '2026-07-28';
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
async function send(method: string, params: JsonObject, headers: Readonly<Record<string, string>>): Promise<Reply> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { status, headers: got, text } = await ask(served.url, { body, headers });
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
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const { session } = await send('initialize', hello, {});
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
