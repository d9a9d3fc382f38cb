/** Records the duration of sessions, from the handshake to the end, in revisions that have sessions. */
import type { Attributes } from '@opentelemetry/api';
import { isFailure, type RpcRequest, type RpcResponse } from '../jsonrpc/message.ts';
import { textOfValue } from '../model/text-of-value.ts';
import { ERROR_TYPE, PROTOCOL } from './names.ts';
import { errorType, limitCardinality, type OperationRecorder, truncateName } from './operation.ts';

export class SessionTimer {
  readonly #recorder: OperationRecorder;
  /** The current session; undefined before the handshake. */
  #open: { readonly since: number; readonly attributes: Attributes } | undefined;

  constructor(recorder: OperationRecorder, closed: Promise<Error | undefined> | undefined) {
    this.#recorder = recorder;
    void closed?.then((reason) => this.#end(reason));
  }

  /** Starts timing if the response completes a handshake; ends an earlier session of the conversation. Returns the response. */
  observe<R extends RpcResponse | undefined>({ method }: RpcRequest, response: R): R {
    if (method !== 'initialize' || response === undefined || isFailure(response)) return response;
    this.#end(undefined);
    const { clock, names } = this.#recorder;
    const attributes = limitCardinality(
      { [PROTOCOL]: truncateName(textOfValue(response.result['protocolVersion'])) },
      names,
    );
    this.#open = { since: clock.now(), attributes };
    return response;
  }

  #end(reason: Error | undefined): void {
    const { clock, sessions } = this.#recorder;
    if (this.#open === undefined) return;
    const { since, attributes } = this.#open;
    this.#open = undefined;
    const failed = reason === undefined ? {} : { [ERROR_TYPE]: errorType(reason) };
    sessions.record((clock.now() - since) / 1_000, { ...attributes, ...failed });
  }
}
