/** Parses messages of a view, and enforces their size and rate limits. */
import { RpcError } from '../../errors.ts';
import { INVALID_REQUEST, isObject, type Message } from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse } from '../../jsonrpc/read.ts';
import type { Clock } from '../../peer/clock.ts';
import { Throttle } from '../../peer/throttle.ts';

/** Maximum length of a message, as JSON. */
const MAX_MESSAGE: number = 1024 * 1024;
const MAX_PER_SECOND = 100;
/** The error code for a request that the host or its user declined, as in the specification. */
export const REFUSED = -32_000;

export class ViewInbox {
  readonly #rate: Throttle;

  constructor(clock: Clock) {
    this.#rate = new Throttle(MAX_PER_SECOND, clock);
  }

  /** Throws an `RpcError` for an invalid message, or one over a limit. */
  read(sent: unknown): Message {
    if (!this.#rate.allows()) throw new RpcError(REFUSED, `A view sends ${MAX_PER_SECOND} messages a second at most`);
    const text = jsonOf(sent);
    if (text === undefined) throw new RpcError(INVALID_REQUEST, 'Invalid request: a message is a JSON object');
    if (text.length > MAX_MESSAGE) throw new RpcError(REFUSED, `A message has ${MAX_MESSAGE} characters at most`);
    const value = parse(text);
    const fault = faultOf(value);
    if (fault !== undefined) throw new RpcError(INVALID_REQUEST, `Invalid request: ${fault}`);
    return asMessage(value);
  }
}

/** Serializes the value, because structured cloning also passes values that are not JSON, for example with cycles. */
function jsonOf(value: unknown): string | undefined {
  try {
    return isObject(value) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}
