/** One HTTP request as it is, without anything that a client would do about its answer. */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Shell } from '../shell.ts';

export interface RawAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

export interface RawRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How much of the answer is waited for: its head, or its text; of a stream, which need not end, the first event that says something. */
  readonly until: 'head' | 'answer';
  readonly ms: number;
}

/** Time, and Ctrl-C. */
export type ReadBounds = Pick<Shell, 'clock' | 'signal'>;

/** More is not looked at. */
const MAX_BYTES = 1024 * 1024;

/** Rejects when there is no answer in time: with the code `ETIMEDOUT`, or what the socket says. */
export function rawHttp({ url, method, headers, body, until, ms }: RawRequest, bounds: ReadBounds): Promise<RawAnswer> {
  const { clock, signal } = bounds;
  const request = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, signal }, (response) => {
      const header = (name: string): string | undefined => headerOf(response, name);
      const status = response.statusCode ?? 0;
      const finish = (text: string): void => {
        late();
        sent.destroy();
        resolve({ status, header, text });
      };
      if (until === 'head') finish('');
      else read(response, finish, header('content-type')?.startsWith('text/event-stream') === true);
    });
    const late = clock.after(ms, () => {
      sent.destroy(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' }));
    });
    sent.once('error', (thrown) => {
      late();
      reject(thrown);
    });
    sent.end(body);
  });
}

function read(response: IncomingMessage, finish: (text: string) => void, events: boolean): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    if ((events && eventIn(text) !== undefined) || text.length > MAX_BYTES) finish(text);
  });
  response.once('end', () => finish(text));
  response.once('error', () => finish(text));
}

/** The data of the first event that has any. Some open a stream with an event that only has an id. */
export function eventIn(text: string): string | undefined {
  return /^data: ?(\S[^\r\n]*)\r?\n/m.exec(text)?.[1];
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
