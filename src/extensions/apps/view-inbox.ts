/** What a view sent, as far as it is a message and within the limits. */
import { RpcError } from '../../errors.ts';
import { INVALID_REQUEST, isObject, type Message } from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse } from '../../jsonrpc/read.ts';
import type { Clock } from '../../peer/clock.ts';

/** Of a message as JSON. */
const MAX_MESSAGE: number = 1024 * 1024;
const MAX_PER_SECOND = 100;
/** Refused by the host or its user; the specification shows this code. */
export const REFUSED = -32_000;

export class ViewInbox {
  readonly #clock: Clock;
  #second = 0;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws an `RpcError` for what is no message or too much. */
  read(sent: unknown): Message {
    if (!this.#hasRoom()) throw new RpcError(REFUSED, `A view sends ${MAX_PER_SECOND} messages a second at most`);
    const text = jsonOf(sent);
    if (text === undefined) throw new RpcError(INVALID_REQUEST, 'Invalid request: a message is a JSON object');
    if (text.length > MAX_MESSAGE) throw new RpcError(REFUSED, `A message has ${MAX_MESSAGE} characters at most`);
    const value = parse(text);
    const fault = faultOf(value);
    if (fault !== undefined) throw new RpcError(INVALID_REQUEST, `Invalid request: ${fault}`);
    return asMessage(value);
  }

  #hasRoom(): boolean {
    const second = Math.floor(this.#clock.now() / 1_000);
    this.#count = second === this.#second ? this.#count + 1 : 1;
    this.#second = second;
    return this.#count <= MAX_PER_SECOND;
  }
}

/** A copy of the text: the value may be anything that can be passed between pages, cycles included. */
function jsonOf(value: unknown): string | undefined {
  try {
    return isObject(value) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}
