/**
 * Seals the state that a caller carries between the rounds of a call (`requestState`). A state is bound to its request and expires
 * after ten minutes.
 */
import { randomBytes } from 'node:crypto';
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, type RpcRequest } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import { type NodeSealing, sealedTextId } from '../../revisions/asks/aes-gcm.ts';
import { limitStateLog, memoryStateLog, STATE_LIFE_MS, type StateLog } from '../../revisions/asks/seal.ts';
import type { CallState, GatewayRequest, NoteStoreFailure } from '../contract.ts';
import { purposeSealer } from './purpose-sealer.ts';

/** How far the wall clock can be set back before a used state could be accepted twice. */
const SET_BACK_MS = 60_000;

/** A server's own state can have 64 KiB, and each gateway in the chain adds a third by encoding it in base64. */
export const MAX_STATE_LENGTH: number = 256 * 1024;

export interface CallStateSettings {
  /** Without keys, the process makes one, and no other process can resume its calls. */
  readonly keys?: readonly Uint8Array[] | undefined;
  /** Records used states for all processes. Without it, this process records its own. */
  readonly log?: StateLog | undefined;
  readonly clock: Clock;
  readonly noteStoreFailure?: NoteStoreFailure | undefined;
  /** This node. */
  readonly node?: string | undefined;
  /** The time on the wall clock of another node; undefined if it is unknown or dead. */
  readonly wallOf?: ((node: string) => Promise<number | undefined>) | undefined;
}

interface SealedState {
  readonly state: CallState;
  /** The node that sealed it. */
  readonly node: string | undefined;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export class CallStates {
  #sealer: NodeSealing;
  readonly #log: StateLog;
  readonly #clock: Clock;
  readonly #noteStoreFailure: NoteStoreFailure | undefined;
  readonly #node: string | undefined;
  readonly #wallOf: CallStateSettings['wallOf'];

  constructor({ keys = [randomBytes(32)], log, clock, noteStoreFailure, node, wallOf }: CallStateSettings) {
    this.#sealer = purposeSealer(keys, 'state');
    this.#log = log === undefined ? memoryStateLog(clock) : limitStateLog(log, clock);
    this.#clock = clock;
    this.#noteStoreFailure = noteStoreFailure;
    this.#node = node;
    this.#wallOf = wallOf;
  }

  /** Rotates the keys: the first one seals, all of them open. */
  useKeys(keys: readonly Uint8Array[]): void {
    this.#sealer = purposeSealer(keys, 'state');
  }

  /** `bound` is `stateBinding` of the request that the state is issued for. */
  seal(state: CallState, bound: string): string {
    const whole: SealedState = { state, node: this.#node, expires: this.#clock.wall() + STATE_LIFE_MS };
    const sealed = this.#sealer.seal(JSON.stringify(whole), bound);
    if (sealed.length <= MAX_STATE_LENGTH) return sealed;
    const why = `The state of this call has ${sealed.length} characters, and at most ${MAX_STATE_LENGTH} can be kept`;
    throw new RpcError(INTERNAL_ERROR, why);
  }

  /**
   * Opens the state of a retry; undefined for a request without one. Rejects a state that was issued for another request or caller
   * with −32602. A state that carries or grants an approval opens only once.
   */
  async open(request: GatewayRequest): Promise<CallState | undefined> {
    const sealed = request.request.params?.['requestState'];
    if (sealed === undefined) return undefined;
    const { state, node, expires } = this.#read(sealed, stateBinding(request));
    const leftMs = expires - this.#clock.wall();
    if (leftMs < 0 && !(await this.#isValidAt(node, expires)))
      throw new RpcError(INVALID_PARAMS, 'requestState has expired');
    // A node whose clock is ahead seals for longer, so its states are remembered for longer: a forgotten one could be used again.
    const usedMs = Math.max(STATE_LIFE_MS, leftMs) + SET_BACK_MS;
    if (carriesApproval(state)) await this.#spend(sealedTextId(sealed as string), usedMs); // #read accepted it, so it is a string
    return state;
  }

  /** Whether a state that has expired by this clock has not by the clock that it was sealed by: this one can be ahead. */
  async #isValidAt(node: string | undefined, expires: number): Promise<boolean> {
    const wall = node === undefined || node === this.#node ? undefined : await this.#wallOf?.(node);
    return wall !== undefined && wall <= expires;
  }

  #read(sealed: unknown, bound: string): SealedState {
    const text =
      typeof sealed === 'string' && sealed.length <= MAX_STATE_LENGTH ? this.#sealer.open(sealed, bound) : undefined;
    if (text === undefined)
      throw new RpcError(INVALID_PARAMS, 'requestState was not issued by this gateway for this request');
    return JSON.parse(text) as SealedState; // sealed by us
  }

  /** Fails closed: an approval that is not marked as used would permit identical calls for ten minutes. */
  async #spend(id: string, usedMs: number): Promise<void> {
    let isFirst: boolean;
    try {
      isFirst = await this.#log.spend(id, usedMs);
    } catch (error) {
      this.#noteStoreFailure?.('approvals', error);
      const data = { outcome: 'not-sent', retryAfterMs: 1_000 };
      throw new RpcError(
        INTERNAL_ERROR,
        'The approval cannot be checked, because the shared store cannot be reached',
        data,
      );
    }
    if (!isFirst) throw new RpcError(INVALID_PARAMS, 'requestState was used before');
  }
}

/** The user approved in an earlier round, or the answers of this retry are the approval. */
const carriesApproval = (state: CallState): boolean =>
  state.stage === 'policy' || ('approved' in state && state.approved === true);

/** The method, params, caller and view that a state is valid for. */
export function stateBinding({
  request,
  principal,
  view,
}: Pick<GatewayRequest, 'principal' | 'view'> & { readonly request: Pick<RpcRequest, 'method' | 'params'> }): string {
  const { _meta, inputResponses, requestState, ...params } = request.params ?? {};
  return canonicalJson([request.method, params, principal, view]);
}
