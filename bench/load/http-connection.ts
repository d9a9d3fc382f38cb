/** A persistent connection: writes a request as text and reads its response whole or in pieces. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Head, HttpReader } from './http-reader.ts';

export interface Reply extends Head {
  readonly body: string;
}

interface Waiting {
  readonly onText: ((text: string) => void) | undefined;
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

export interface Sent {
  readonly method?: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class HttpConnection implements Disposable {
  readonly #url: URL;
  #socket: Socket | undefined;
  #head: Head = { status: 0, headers: '' };
  #parts: Buffer[] = [];
  #waiting: Waiting | undefined;

  constructor(url: URL) {
    this.#url = url;
  }

  /** Connects, and reconnects if the server closed a connection that was idle between two rounds. */
  async connect(): Promise<void> {
    if (this.#socket?.readyState === 'open') return;
    const socket = connect(Number(this.#url.port), this.#url.hostname).setNoDelay(true);
    this.#socket = socket;
    await once(socket, 'connect');
    const reader = new HttpReader({
      head: (head) => {
        this.#head = head;
      },
      body: (part) => this.#body(part),
      end: () => this.#end(),
    });
    socket.on('data', (chunk) => reader.push(chunk));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('The server hung up')));
  }

  /** The constant part of a request. */
  head(method: string, headers: Readonly<Record<string, string>>): string {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${this.#url.pathname} HTTP/1.1\r\nhost: ${this.#url.host}\r\n${lines.join('')}`;
  }

  send({ method = 'POST', headers, body = '' }: Sent): Promise<Reply> {
    return this.sendText(this.head(method, headers), body);
  }

  /** With `onText` the body is streamed to the callback and not kept. */
  sendText(head: string, body: string, onText?: (text: string) => void): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#socket?.readyState !== 'open') reject(new Error('The connection is closed'));
      this.#waiting = { onText, resolve, reject };
      this.#socket?.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  }

  [Symbol.dispose](): void {
    this.#waiting = undefined;
    this.#socket?.destroy();
  }

  #body(part: Buffer): void {
    const onText = this.#waiting?.onText;
    if (onText === undefined) this.#parts.push(part);
    else onText(part.toString());
  }

  #end(): void {
    const [only] = this.#parts;
    const bytes = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ ...this.#head, body: bytes.toString() });
  }
}
