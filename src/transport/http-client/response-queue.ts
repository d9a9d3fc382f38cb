/** Responses to what a server asks: each takes a connection, so that only so many are on their way at once. */

const MAX_SENT = 16;
/** Of responses that wait. A server that asks without end and accepts nothing must not fill our memory. */
const MAX_WAITING_BYTES: number = 16 * 1024 * 1024;
/** Counted for each, so that many small ones are too many as well. */
const RESPONSE_BYTES = 1_024;

export class ResponseQueue {
  readonly #post: (body: string) => Promise<void>;
  readonly #full: (limit: number) => void;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  #sent = 0;

  /** `post` never rejects. `full`: the server does not accept what it asked for. */
  constructor(post: (body: string) => Promise<void>, full: (limit: number) => void) {
    this.#post = post;
    this.#full = full;
  }

  add(body: string): void {
    if (this.#sent < MAX_SENT) void this.#send(body);
    else if (this.#waitingBytes + sizeOf(body) > MAX_WAITING_BYTES) this.#full(MAX_WAITING_BYTES);
    else {
      this.#waiting.push(body);
      this.#waitingBytes += sizeOf(body);
    }
  }

  clear(): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
  }

  async #send(first: string): Promise<void> {
    this.#sent++;
    for (let body: string | undefined = first; body !== undefined; body = this.#next()) await this.#post(body);
    this.#sent--;
  }

  #next(): string | undefined {
    const body = this.#waiting.shift();
    if (body !== undefined) this.#waitingBytes -= sizeOf(body);
    return body;
  }
}

const sizeOf = (body: string): number => body.length + RESPONSE_BYTES;
