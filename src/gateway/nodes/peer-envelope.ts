/** Messages between nodes: sealed for one node, good once and for half a minute. Each event of an answer is bound to its number. */
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { NodeSealing } from '../../revisions/asks/aes-gcm.ts';
import { ExpiringMap } from '../../stores/expiring-map.ts';
import { purposeSealer } from '../bridge/purpose-sealer.ts';

const ENVELOPE_MS = 30_000;
const NONCE_MS = 60_000;
/** Envelopes that are remembered; more at a time are not opened. */
const MAX_NONCES = 100_000;

/** What a node wants of another. */
export interface PeerEnvelope {
  readonly kind: 'resume' | 'hangUp' | 'deliver';
  readonly from: string;
  readonly nonce: string;
  readonly body: JsonObject;
}

interface SealedEnvelope {
  readonly nonce: string;
  readonly sealed: string;
}

export class PeerEnvelopes {
  readonly #id: string;
  readonly #sealer: NodeSealing;
  readonly #clock: Clock;
  readonly #nonces: ExpiringMap<true>;

  constructor(id: string, keys: readonly Uint8Array[], clock: Clock) {
    this.#id = id;
    this.#sealer = purposeSealer(keys, 'peer');
    this.#clock = clock;
    this.#nonces = new ExpiringMap(clock);
  }

  /** `aheadMs`: how far the clock of the other node is ahead of this one. A message expires by the clock that reads it. */
  seal(to: string, kind: PeerEnvelope['kind'], body: JsonObject, aheadMs = 0): SealedEnvelope {
    const nonce = randomBytes(16).toString('base64url');
    const expires = this.#clock.wall() + aheadMs + ENVELOPE_MS;
    const text = JSON.stringify({ kind, from: this.#id, nonce, body, expires });
    return { nonce, sealed: this.#sealer.seal(text, `to ${to}`) };
  }

  /** Undefined for what is not for this node, has expired, or came before. */
  open(sealed: string): PeerEnvelope | undefined {
    const opened = this.#open(sealed, `to ${this.#id}`);
    if (opened === undefined || this.#nonces.size >= MAX_NONCES) return undefined;
    const { expires, ...envelope } = opened as unknown as PeerEnvelope & { readonly expires: number }; // sealed by a node
    if (this.#nonces.get(envelope.nonce) === true) return undefined;
    const leftMs = expires - this.#clock.wall();
    if (leftMs < 0) return undefined;
    // Where a clock was set meanwhile, it is good for longer.
    this.#nonces.set(envelope.nonce, true, Math.max(NONCE_MS, leftMs));
    return envelope;
  }

  /** For all nodes, about what happens right now: one that hears it twice does nothing twice. */
  sealForAll(body: JsonObject): string {
    return this.#sealer.seal(JSON.stringify(body), 'to all');
  }

  openForAll(sealed: string): JsonObject | undefined {
    return this.#open(sealed, 'to all');
  }

  /** No event can be left out, doubled, or taken from another answer. */
  sealEvent(event: JsonObject, nonce: string, number: number): string {
    return this.#sealer.seal(JSON.stringify(event), `event ${nonce} ${number}`);
  }

  openEvent(sealed: string, nonce: string, number: number): JsonObject | undefined {
    return this.#open(sealed, `event ${nonce} ${number}`);
  }

  #open(sealed: string, bound: string): JsonObject | undefined {
    const text = this.#sealer.open(sealed, bound);
    return text === undefined ? undefined : (JSON.parse(text) as JsonObject); // sealed by a node
  }
}
