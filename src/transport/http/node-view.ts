/** `HttpView` for Node: reads a request directly from `IncomingMessage`. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isObject } from '../../jsonrpc/message.ts';
import { MAX_DEPTH } from '../../jsonrpc/read.ts';
import { CollectedBytes } from '../../model/collected-bytes.ts';
import { HttpRejection } from './rejections.ts';
import type { HttpView } from './view.ts';

const joinDuplicates = (rawHeaders: readonly string[], name: string): string =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name).join(', ');

/** Whether a parsed body is nested too deeply. A Buffer, which a framework left unparsed, has no levels. */
const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  (levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1)));

/** Headers of which Node keeps only the first duplicate by default, while a proxy can have checked the last one. */
const KEPT_ONCE: ReadonlySet<string> = new Set(['authorization', 'content-type', 'host']);

export class NodeView implements HttpView {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The body that a framework has parsed; undefined if it is nested too deeply. */
  readonly parsed: unknown;
  readonly #isTooDeep: boolean;
  readonly #request: IncomingMessage;
  /** Cached, because `IncomingMessage.headers` is a getter. */
  readonly #headers: IncomingHttpHeaders;

  constructor(request: IncomingMessage, path: string, query = '') {
    this.#request = request;
    this.#headers = request.headers;
    this.path = path;
    this.query = query;
    this.method = request.method ?? '';
    const given = 'body' in request ? request.body : undefined;
    // Body parsers of Express 4 set `{}` for a body of another media type, and leave it unread.
    const isUnread = isObject(given) && Object.keys(given).length === 0 && !request.readableEnded;
    const body = isUnread ? undefined : given;
    this.#isTooDeep = body !== undefined && isDeeperThan(body, MAX_DEPTH);
    this.parsed = this.#isTooDeep ? undefined : body;
  }

  header(name: string): string | undefined {
    if (KEPT_ONCE.has(name)) {
      const { rawHeaders } = this.#request;
      let count = 0;
      // Compares lengths first, so that few names are converted to lower case.
      for (let at = 0; at < rawHeaders.length; at += 2)
        if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) count++;
      if (count > 1) return joinDuplicates(rawHeaders, name);
    }
    const value = this.#headers[name];
    // HTTP/2 uses `:authority` for the host. If a client sends both and they differ, the joined value is rejected.
    const authority = name === 'host' ? this.#headers[':authority'] : undefined;
    if (authority !== undefined && authority !== value)
      return value === undefined ? String(authority) : `${value}, ${authority}`;
    return Array.isArray(value) ? value.join(', ') : value;
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  text(limit: number): Promise<string> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      if (Number(this.#headers['content-length'] ?? 0) > limit) {
        reject(new HttpRejection('bodySize', { limit }));
        return;
      }
      // A middleware has read the body, and left no usable result.
      if (request.readableEnded) {
        if (this.#isTooDeep) reject(new HttpRejection('bodyText', { fault: `nested deeper than ${MAX_DEPTH} levels` }));
        else resolve('');
        return;
      }
      // Most bodies arrive in one chunk, which is not copied.
      let only: Buffer | undefined;
      let several: CollectedBytes | undefined;
      let length = 0;
      const onData = (chunk: Buffer): void => {
        length += chunk.length;
        if (length > limit) {
          request.off('data', onData).pause();
          reject(new HttpRejection('bodySize', { limit }));
        } else if (only === undefined) only = chunk;
        else {
          if (several === undefined) {
            several = new CollectedBytes();
            several.add(only);
          }
          several.add(chunk);
        }
      };
      request.on('data', onData);
      request.on('end', () => {
        const bytes = several === undefined ? (only ?? Buffer.alloc(0)) : asBuffer(several.bytes);
        // Without an encoding name, which would be looked up each time. The default is UTF-8.
        const text = bytes.toString();
        // Invalid UTF-8 is decoded to U+FFFD, but a client can also send that character itself.
        if (!text.includes('\uFFFD') || isUtf8(bytes)) resolve(text);
        else reject(new HttpRejection('bodyText', { fault: 'not UTF-8' }));
      });
      // No listener for a disconnect: the promise then never settles, and is garbage-collected with the request.
    });
  }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
