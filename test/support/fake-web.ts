/** A fake `fetch` that a test answers: records requests, and keeps streams open until the test ends them. */
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { WireFetch } from '../../src/transport/http-client/fetch-wire.ts';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request body. */
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

export type Answer = (asked: Asked) => Response | Promise<Response>;

export class FakeWeb {
  readonly asked: Asked[] = [];
  readonly #answer: Answer;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  readonly fetch: WireFetch = async (url, init) => {
    const headers = init.headers as Record<string, string>; // the transport passes a plain object
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as JsonObject) : {}; // the transport posts JSON
    const asked = { method: String(init.method), url: String(url), headers, body, signal: init.signal as AbortSignal }; // the transport always passes a signal
    this.asked.push(asked);
    return this.#answer(asked);
  };

  /** Requests with this HTTP or JSON-RPC method. */
  with(method: string): Asked[] {
    return this.asked.filter((asked) => asked.method === method || asked.body['method'] === method);
  }
}

export const json = (value: unknown, init: { status?: number; headers?: Record<string, string> } = {}): Response =>
  new Response(JSON.stringify(value), {
    status: init.status ?? 200,
    headers: { 'content-type': 'application/json', ...init.headers },
  });

export const status = (code: number, headers: Record<string, string> = {}, text = ''): Response =>
  new Response(code === 204 ? null : text, { status: code, headers });

export const result = ({ body }: Asked, value: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id: body['id'],
  result: value,
});

export const failed = ({ body }: Asked, code: number, message = 'No'): JsonObject => ({
  jsonrpc: '2.0',
  id: body['id'],
  error: { code, message },
});

/** An SSE event, with an optional id. */
export const event = (value: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${value === '' ? '' : JSON.stringify(value)}\n\n`;

/** A stream that a test writes to. */
export class OpenStream {
  readonly response: Response;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Whether the reader cancelled. */
  cancelled = false;

  constructor(...begin: string[]) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.cancelled = true;
      },
    });
    this.response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    for (const text of begin) this.write(text);
  }

  write(text: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    this.#controller?.close();
  }

  cut(): void {
    this.#controller?.error(new Error('cut'));
  }
}

/** A stream with these texts that ends. */
export function stream(...texts: string[]): Response {
  const open = new OpenStream(...texts);
  open.end();
  return open.response;
}

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} };

/** A server with sessions; `rest` answers everything but `initialize`. */
export function sessions(revision: string, rest: Answer, sessionId: string | undefined = 'session-1'): Answer {
  return (asked) => {
    const { method, body } = asked;
    if (body['method'] === 'server/discover') return json(failed(asked, -32601), { status: 400 });
    if (body['method'] === 'initialize') {
      const opened = { protocolVersion: revision, capabilities, serverInfo: { name: 'fake', version: '1' } };
      return json(result(asked, opened), sessionId === undefined ? {} : { headers: { 'mcp-session-id': sessionId } });
    }
    if (body['method'] === 'notifications/initialized') return status(202);
    if (method === 'DELETE') return status(200);
    return rest(asked);
  };
}

/** A server without sessions; `rest` answers everything but `server/discover`. */
export function stateless(rest: Answer, revision = '2026-07-28'): Answer {
  return (asked) =>
    asked.body['method'] === 'server/discover'
      ? json(
          result(asked, {
            resultType: 'complete',
            supportedVersions: [revision],
            capabilities,
            ttlMs: 0,
            cacheScope: 'private',
          }),
        )
      : rest(asked);
}

export const text = (said: string): JsonObject => ({ resultType: 'complete', content: [{ type: 'text', text: said }] });
