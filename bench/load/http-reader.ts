/** Parses HTTP/1.1 responses from a socket at little cost, because it shares the machine with the process under test. */
export interface Head {
  readonly status: number;
  /** The header lines, as they came. */
  readonly headers: string;
}

type State = 'head' | 'length' | 'size' | 'data' | 'after-data' | 'trailer';

const CRLF2 = Buffer.from('\r\n\r\n');
const LF = 10;
const none = Buffer.alloc(0);

export class HttpReader {
  #state: State = 'head';
  #rest: Buffer = none;
  #left = 0;
  readonly #onHead: (head: Head) => void;
  readonly #onBody: (part: Buffer) => void;
  readonly #onEnd: () => void;

  constructor(on: { head(head: Head): void; body(part: Buffer): void; end(): void }) {
    this.#onHead = on.head;
    this.#onBody = on.body;
    this.#onEnd = on.end;
  }

  push(chunk: Buffer): void {
    let bytes: Buffer | undefined = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = none;
    while (bytes !== undefined && bytes.length > 0) bytes = this.#step(bytes);
  }

  /** Consumes bytes and returns the rest, or undefined if more bytes are needed. */
  #step(bytes: Buffer): Buffer | undefined {
    if (this.#state === 'head') return this.#head(bytes);
    if (this.#state === 'length') return this.#data(bytes, () => this.#end());
    if (this.#state === 'data') return this.#data(bytes, () => this.#become('after-data'));
    const at = bytes.indexOf(LF);
    if (at === -1) {
      this.#rest = bytes;
      return undefined;
    }
    if (this.#state === 'after-data') this.#state = 'size';
    else if (this.#state === 'trailer') {
      if (at <= 1) this.#end();
    } else {
      this.#left = Number.parseInt(bytes.toString('latin1', 0, at), 16);
      this.#state = this.#left === 0 ? 'trailer' : 'data';
    }
    return bytes.subarray(at + 1);
  }

  #head(bytes: Buffer): Buffer | undefined {
    const at = bytes.indexOf(CRLF2);
    if (at === -1) {
      this.#rest = bytes;
      return undefined;
    }
    const headers = bytes.toString('latin1', 0, at + 2);
    const status = Number(headers.slice(9, 12));
    this.#onHead({ status, headers });
    if (headerIn(headers, 'transfer-encoding') === 'chunked') this.#state = 'size';
    else {
      this.#left = Number(headerIn(headers, 'content-length') ?? 0);
      this.#state = 'length';
      if (this.#left === 0) this.#end();
    }
    return bytes.subarray(at + 4);
  }

  #data(bytes: Buffer, then: () => void): Buffer {
    const part = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= part.length;
    this.#onBody(part);
    if (this.#left === 0) then();
    return bytes.subarray(part.length);
  }

  #become(state: State): void {
    this.#state = state;
  }

  #end(): void {
    this.#state = 'head';
    this.#onEnd();
  }
}

/** The value of a header; `name` is in lower case, and matched in any case. */
export function headerIn(headers: string, name: string): string | undefined {
  const at = headers.toLowerCase().indexOf(`\r\n${name}:`);
  if (at === -1) return undefined;
  const from = at + name.length + 3;
  return headers.slice(from, headers.indexOf('\r\n', from)).trim();
}
