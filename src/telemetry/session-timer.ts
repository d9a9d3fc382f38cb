/** How long the session of a conversation lasts, where its revision has sessions: from the handshake to the end. */
import type { Attributes } from '@opentelemetry/api';
import { isFailure, type RpcRequest, type RpcResponse } from '../jsonrpc/message.ts';
import { textOfValue } from '../model/text-of-value.ts';
import { ERROR_TYPE, PROTOCOL } from './names.ts';
import { bounded, cut, errorType, type OperationRecorder } from './operation.ts';

export class SessionTimer {
  readonly #recorder: OperationRecorder;
  /** Undefined while there is no session. */
  #open: { readonly since: number; readonly attributes: Attributes } | undefined;

  constructor(recorder: OperationRecorder, closed: Promise<Error | undefined> | undefined) {
    this.#recorder = recorder;
    void closed?.then((reason) => this.#end(reason));
  }

  /** A handshake on a conversation that has a session ends that one and begins another. */
  saw<R extends RpcResponse | undefined>({ method }: RpcRequest, response: R): R {
    if (method !== 'initialize' || response === undefined || isFailure(response)) return response;
    this.#end(undefined);
    const { clock, names } = this.#recorder;
    const attributes = bounded({ [PROTOCOL]: cut(textOfValue(response.result['protocolVersion'])) }, names);
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
