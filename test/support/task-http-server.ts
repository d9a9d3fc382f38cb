/** A raw HTTP server of 2026-07-28 with one task tool: asks, works until told to end, and counts requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { question } from './fake-tasks.ts';

const now = (): string => new Date().toISOString();

export class TaskHttpServer implements AsyncDisposable {
  url = '';
  /** Whether the task asks a question. */
  isAsking = false;
  isDone = false;
  isCancelled = false;
  readonly updates: unknown[] = [];
  /** Methods and `Mcp-Name` headers of all requests. */
  readonly names: string[] = [];
  readonly #http = createServer((request, response) => void this.#respond(request, response));

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, method, params } = await bodyOf(request);
    this.names.push(`${String(method)} ${request.headers['mcp-name'] ?? ''}`.trim());
    const result = this.#answer(String(method), (params ?? {}) as JsonObject); // what our client sends
    const body =
      result === undefined
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
        : { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } };
    response.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`; // it listens on a port
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #answer(method: string, params: JsonObject): JsonObject | undefined {
    const hints = { ttlMs: 0, cacheScope: 'private' };
    const inputSchema = { type: 'object' };
    if (method === 'server/discover')
      return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...hints };
    if (method === 'tools/list') return { tools: [{ name: 'render', inputSchema }], ...hints };
    const task = { taskId: 'task-1', createdAt: now(), lastUpdatedAt: now(), ttlMs: 3_600_000, pollIntervalMs: 250 };
    if (method === 'tools/call') return { resultType: 'task', ...task, status: 'working' };
    if (method === 'tasks/get') return { ...task, ...this.#state() };
    if (method === 'tasks/update') {
      this.updates.push(params['inputResponses']);
      this.isAsking = false;
      this.isDone = true;
    } else if (method === 'tasks/cancel') this.isCancelled = true;
    else return undefined;
    return {};
  }

  #state(): JsonObject {
    if (this.isCancelled) return { status: 'cancelled' };
    if (this.isAsking) return { status: 'input_required', inputRequests: { name: question('name') } };
    if (!this.isDone) return { status: 'working', statusMessage: '12 of 40 frames' };
    return { status: 'completed', result: { content: [{ type: 'text', text: 'rendered' }] } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as JsonObject; // our client writes objects
}
