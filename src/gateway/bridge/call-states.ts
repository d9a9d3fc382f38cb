/** States that travel with the caller between the rounds of a call: sealed, bound to the request, and good for ten minutes. */
import { randomBytes } from 'node:crypto';
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, type RpcRequest } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import { type NodeSealing, sealedTextId } from '../../revisions/asks/aes-gcm.ts';
import { limitStateLog, memoryStateLog, STATE_LIFE_MS, type StateLog } from '../../revisions/asks/seal.ts';
import type { CallState, GatewayRequest, NoteStoreFailure } from '../contract.ts';
import { purposeSealer } from './purpose-sealer.ts';

/** So far can the clock of this process be set back while a state is good. */
const SET_BACK_MS = 60_000;

/** Of a sealed state. A server's own can have 64 KiB, and each gateway on the way makes four characters of three. */
export const MAX_STATE_LENGTH: number = 256 * 1024;

export interface CallStateSettings {
  /** Without keys, one is made for this process: no other one can go on with its calls. */
  readonly keys?: readonly Uint8Array[] | undefined;
  /** Where used states are remembered; without it, in this process. */
  readonly log?: StateLog | undefined;
  readonly clock: Clock;
  readonly noteStoreFailure?: NoteStoreFailure | undefined;
}

interface SealedState {
  readonly state: CallState;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export class CallStates {
  #sealer: NodeSealing;
  readonly #log: StateLog;
  readonly #clock: Clock;
  readonly #noteStoreFailure: NoteStoreFailure | undefined;

  constructor({ keys = [randomBytes(32)], log, clock, noteStoreFailure }: CallStateSettings) {
    this.#sealer = purposeSealer(keys, 'state');
    this.#log = log === undefined ? memoryStateLog(clock) : limitStateLog(log, clock);
    this.#clock = clock;
    this.#noteStoreFailure = noteStoreFailure;
  }

  /** Keys were rotated: the first one seals from now on, all of them open. */
  useKeys(keys: readonly Uint8Array[]): void {
    this.#sealer = purposeSealer(keys, 'state');
  }

  /** `bound` is `stateBinding` of the request that the state is issued for. */
  seal(state: CallState, bound: string): string {
    const whole: SealedState = { state, expires: this.#clock.wall() + STATE_LIFE_MS };
    const sealed = this.#sealer.seal(JSON.stringify(whole), bound);
    if (sealed.length <= MAX_STATE_LENGTH) return sealed;
    const why = `The state of this call has ${sealed.length} characters, and at most ${MAX_STATE_LENGTH} can be kept`;
    throw new RpcError(INTERNAL_ERROR, why);
  }

  /**
   * The state that a retry brings; undefined where a request brings none. Rejects with −32602 what was not issued for this
   * request and this caller. A state that carries an approval, or asks for one, opens once.
   */
  async open(request: GatewayRequest): Promise<CallState | undefined> {
    const sealed = request.request.params?.['requestState'];
    if (sealed === undefined) return undefined;
    const { state, expires } = this.#read(sealed, stateBinding(request));
    const leftMs = expires - this.#clock.wall();
    if (leftMs < 0) throw new RpcError(INVALID_PARAMS, 'requestState has expired');
    // A node with a fast clock seals for longer: what was forgotten before it expired could be used again.
    const usedMs = Math.max(STATE_LIFE_MS, leftMs) + SET_BACK_MS;
    if (carriesApproval(state)) await this.#spend(sealedTextId(sealed as string), usedMs); // it was read
    return state;
  }

  #read(sealed: unknown, bound: string): SealedState {
    const text =
      typeof sealed === 'string' && sealed.length <= MAX_STATE_LENGTH ? this.#sealer.open(sealed, bound) : undefined;
    if (text === undefined)
      throw new RpcError(INVALID_PARAMS, 'requestState was not issued by this gateway for this request');
    return JSON.parse(text) as SealedState; // sealed by us
  }

  /** An approval that cannot be marked as used is not used at all: it would do for ten minutes of identical calls. */
  async #spend(id: string, usedMs: number): Promise<void> {
    let isFirst: boolean;
    try {
      isFirst = await this.#log.spend(id, usedMs);
    } catch (error) {
      this.#noteStoreFailure?.('approvals', error);
      const data = { outcome: 'not-sent', retryAfterMs: 1_000 };
      throw new RpcError(INTERNAL_ERROR, 'The approval cannot be checked, because the store is away', data);
    }
    if (!isFirst) throw new RpcError(INVALID_PARAMS, 'requestState was used before');
  }
}

/** An approval was given, or the answers that come along give one. */
const carriesApproval = (state: CallState): boolean =>
  state.stage === 'policy' || ('approved' in state && state.approved === true);

/** What a state is good for: this method with these params, for this caller, in this view. */
export function stateBinding({
  request,
  principal,
  view,
}: Pick<GatewayRequest, 'principal' | 'view'> & { readonly request: Pick<RpcRequest, 'method' | 'params'> }): string {
  const { _meta, inputResponses, requestState, ...params } = request.params ?? {};
  return canonicalJson([request.method, params, principal, view]);
}
