/** Raw HTTP on a socket, for requests that no client sends. */
import { once } from 'node:events';
import { request as dial, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends bytes, and returns the response when the server ends it, or when it matches `enough`. */
export async function bytes(url: string, text: string | Uint8Array, enough?: RegExp): Promise<string> {
  const socket = await open(url);
  let heard = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard += chunk;
    if (enough?.test(heard) === true) socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return heard;
}

export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Sends a request; the body can be read as it arrives. */
export function begin(url: string, { method = 'POST', headers = {}, body }: Sent): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const all = Object.entries({ ...usual, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new Promise((resolve, reject) => {
    const request = dial(url, { method, headers: Object.fromEntries(all), agent: false }, resolve);
    request.on('error', reject);
    request.end(text);
  });
}

export async function ask(url: string, sent: Sent): Promise<Answer> {
  const response = await begin(url, sent);
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string; // an encoding is set
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** Reads until the text matches. */
export function until(response: IncomingMessage, enough: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (enough.test(text)) resolve(text);
    });
    response.on('end', () => reject(new Error(`The stream ended: ${text}`)));
    response.on('error', () => undefined);
  });
}

/** Polls until the condition holds. */
export async function soon(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`timed out: ${what}`);
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}

export const postText = (body: string, headers = 'Host: localhost\r\nContent-Type: application/json\r\n'): string =>
  `POST /mcp HTTP/1.1\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/**
 * The error code of a request to a port on which nothing listens; undefined if there is a response. A process that another test starts holds
 * a copy of each socket until its program is loaded, and resets connections to it, so a reset is tried again.
 */
export async function failureAt(url: string): Promise<unknown> {
  for (;;) {
    const code = await ask(url, { method: 'GET' }).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code !== 'ECONNRESET') return code;
  }
}
