/** A request of `node:http`, as the endpoints see it: read from `IncomingMessage`, with nothing in between. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { MAX_DEPTH } from '../../jsonrpc/read.ts';
import { CollectedBytes } from '../../model/collected-bytes.ts';
import { HttpRejection } from './rejections.ts';
import type { HttpView } from './view.ts';

const allOf = (rawHeaders: readonly string[], name: string): string =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name).join(', ');

/** Bytes that a framework has not parsed have no levels. */
const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  (levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1)));

/** Of several, Node keeps the first, unless its server joins them; a proxy in front of us can have checked the last. */
const KEPT_ONCE: ReadonlySet<string> = new Set(['authorization', 'content-type', 'host']);

export class NodeView implements HttpView {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Frameworks leave what they parsed on the request, however deep it is. */
  readonly parsed: unknown;
  readonly #isTooDeep: boolean;
  readonly #request: IncomingMessage;
  /** Asked for once: behind it there is a getter. */
  readonly #headers: IncomingHttpHeaders;

  constructor(request: IncomingMessage, path: string, query = '') {
    this.#request = request;
    this.#headers = request.headers;
    this.path = path;
    this.query = query;
    this.method = request.method ?? '';
    const body = 'body' in request ? request.body : undefined;
    this.#isTooDeep = body !== undefined && isDeeperThan(body, MAX_DEPTH);
    this.parsed = this.#isTooDeep ? undefined : body;
  }

  header(name: string): string | undefined {
    if (KEPT_ONCE.has(name)) {
      const { rawHeaders } = this.#request;
      let count = 0;
      // Most names differ in length: only the others are turned into lower case.
      for (let at = 0; at < rawHeaders.length; at += 2)
        if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) count++;
      if (count > 1) return allOf(rawHeaders, name);
    }
    const value = this.#headers[name];
    // HTTP/2 has its own word for it. Where a client sends both, they must say the same.
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
      // A middleware has read it and left nothing that could be used.
      if (request.readableEnded) {
        if (this.#isTooDeep) reject(new HttpRejection('bodyText', { fault: `nested deeper than ${MAX_DEPTH} levels` }));
        else resolve('');
        return;
      }
      // Most bodies come in one piece, which is used as it is.
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
        // Without a name for UTF-8, which it is anyway: that is looked up each time.
        const text = bytes.toString();
        // Bytes that are not UTF-8 are decoded to U+FFFD; that character can also have been sent as such.
        if (!text.includes('\uFFFD') || isUtf8(bytes)) resolve(text);
        else reject(new HttpRejection('bodyText', { fault: 'not UTF-8' }));
      });
      // A client that disconnects gets no response: its end is not listened for, and nothing of this is kept.
    });
  }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
