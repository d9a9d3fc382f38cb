/** The limit of a client over HTTP: undici's dispatcher, JSON, and handwritten SSE parsing. */
import { type Dispatcher, Pool } from 'undici';
import { echo, request, SESSION_ERA, statelessHeaders } from '../../wire.ts';
import { setup, type ToolResult, textOf } from '../../work.ts';
import { clientUnderTest, type Echo } from '../client-under-test.ts';

const settings = setup();

class Answer implements Dispatcher.DispatchHandler {
  readonly #done: (text: string) => void;
  readonly #failed: (error: Error) => void;
  #parts: Buffer[] = [];

  constructor(done: (text: string) => void, failed: (error: Error) => void) {
    this.#done = done;
    this.#failed = failed;
  }
  onRequestStart(): void {
    this.#parts = [];
  }
  onResponseStart(_: unknown, status: number): void {
    if (status !== 200) this.#failed(new Error(`Wrong answer: ${status}`));
  }
  onResponseData(_: unknown, part: Buffer): void {
    this.#parts.push(part);
  }
  onResponseEnd(): void {
    const [only] = this.#parts;
    this.#done((this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts)).toString());
  }
  onResponseError(_: unknown, error: Error): void {
    this.#failed(error);
  }
}

async function connect(server: string): Promise<Echo> {
  const { origin, pathname: path } = new URL(server);
  const pool = new Pool(origin, { headersTimeout: 0, bodyTimeout: 0 });
  const always = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const mirrored =
    settings.era === 'stateless'
      ? statelessHeaders(echo(''))
      : { 'mcp-protocol-version': SESSION_ERA, 'mcp-session-id': 'one' };
  const headers = { ...always, ...mirrored };
  let id = 0;
  return async (message) => {
    const body = request(++id, echo(message), settings.era);
    const text = await new Promise<string>((resolve, reject) => {
      pool.dispatch({ method: 'POST', path, headers, body }, new Answer(resolve, reject));
    });
    const json = text.startsWith('{') ? text : text.slice(text.indexOf('data: ') + 6);
    const { result } = JSON.parse(json) as { result: ToolResult }; // checked by textOf
    return textOf(result);
  };
}

await clientUnderTest(settings, connect);
