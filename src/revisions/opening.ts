/** The first words on a line, before anybody has agreed on anything. */
import { McpError, RpcError } from '../errors.ts';
import {
  failure,
  type JsonObject,
  METHOD_NOT_FOUND,
  type RpcRequest,
  type RpcResponse,
  resultOf,
} from '../jsonrpc/message.ts';
import { Abort } from '../peer/abort.ts';
import type { Clock } from '../peer/clock.ts';
import type { Connection, Link } from '../peer/exchange.ts';

/** A link that hears nothing and answers nothing. */
export class OpeningLink implements Link {
  readonly #abort: Abort = new Abort();

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }

  notify(): void {}

  ask(asked: RpcRequest): Promise<RpcResponse> {
    return Promise.resolve(failure(asked.id, new RpcError(METHOD_NOT_FOUND, `${asked.method} comes too early`)));
  }

  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }
}

/** A request that may be given up before it is answered, and answered after it was given up. */
export interface OpeningRequest {
  readonly answer: Promise<JsonObject>;
  /** The answer, once it is there. */
  readonly value?: JsonObject;
  cancel(reason: Error): void;
}

export function sendOpening(line: Connection, message: RpcRequest): OpeningRequest {
  const link = new OpeningLink();
  const answer = Promise.race([line.exchange(message, link), rejectWhenClosed(line)]).then(
    (response) => resultOf(response as RpcResponse), // a request is answered, or the exchange throws
  );
  const asked: { answer: Promise<JsonObject>; value?: JsonObject; cancel(reason: Error): void } = {
    answer,
    cancel: (reason) => link.abort(reason),
  };
  answer.then(
    (value) => {
      asked.value = value;
    },
    () => undefined,
  );
  return asked;
}

const rejectWhenClosed = async (line: Connection): Promise<never> => {
  const reason = await line.closed;
  throw reason ?? new McpError('MCP_CLOSED', { why: 'the other side ended the conversation' });
};

/** Undefined when nothing came in time. */
export function withTimeout<T>(ms: number, clock: Clock, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => resolve(undefined));
    promise.then(resolve, reject).finally(stop);
  });
}

/** Rejects with the signal's reason as soon as it aborts. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
