/** Posts our responses to a server's requests. Limits how many are posted at once, because each takes a connection. */

const MAX_SENT = 16;
/** Maximum size of responses that wait: a server could send endless requests and accept no response. */
const MAX_WAITING_BYTES: number = 16 * 1024 * 1024;
/** Added to the size of each response, so that the number of small ones is limited too. */
const RESPONSE_BYTES = 1_024;

export class ResponseQueue {
  readonly #post: (body: string) => Promise<void>;
  readonly #onFull: (limit: number) => void;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  #sent = 0;

  /** `post` must not reject. `onFull` is called when too many responses wait. */
  constructor(post: (body: string) => Promise<void>, onFull: (limit: number) => void) {
    this.#post = post;
    this.#onFull = onFull;
  }

  add(body: string): void {
    if (this.#sent < MAX_SENT) void this.#send(body);
    else if (this.#waitingBytes + sizeOf(body) > MAX_WAITING_BYTES) this.#onFull(MAX_WAITING_BYTES);
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
