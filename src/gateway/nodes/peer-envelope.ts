/**
 * Encrypts messages between nodes: each is for one node, opens once, and expires after 30 s. Response events are bound to their
 * sequence number.
 */
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { NodeSealing } from '../../revisions/asks/aes-gcm.ts';
import { ExpiringMap } from '../../stores/expiring-map.ts';
import { purposeSealer } from '../bridge/purpose-sealer.ts';

const ENVELOPE_MS = 30_000;
const NONCE_MS = 60_000;
/** Remembered nonces; while the table is full, no envelope is opened. */
const MAX_NONCES = 100_000;

/** A message from one node to another. */
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

  /** `aheadMs`: how far the receiver's clock is ahead, because the receiver checks the expiry with its own clock. */
  seal(to: string, kind: PeerEnvelope['kind'], body: JsonObject, aheadMs = 0): SealedEnvelope {
    const nonce = randomBytes(16).toString('base64url');
    const expires = this.#clock.wall() + aheadMs + ENVELOPE_MS;
    const text = JSON.stringify({ kind, from: this.#id, nonce, body, expires });
    return { nonce, sealed: this.#sealer.seal(text, `to ${to}`) };
  }

  /** Undefined for a message that is for another node, expired or replayed. */
  open(sealed: string): PeerEnvelope | undefined {
    const opened = this.#open(sealed, `to ${this.#id}`);
    if (opened === undefined || this.#nonces.size >= MAX_NONCES) return undefined;
    const { expires, ...envelope } = opened as unknown as PeerEnvelope & { readonly expires: number }; // sealed by another node
    if (this.#nonces.get(envelope.nonce) === true) return undefined;
    const leftMs = expires - this.#clock.wall();
    if (leftMs < 0) return undefined;
    // If a clock was adjusted, the envelope can be valid for longer than usual.
    this.#nonces.set(envelope.nonce, true, Math.max(NONCE_MS, leftMs));
    return envelope;
  }

  /** A broadcast to all nodes. Its content must be idempotent, because it has no replay protection. */
  sealForAll(body: JsonObject): string {
    return this.#sealer.seal(JSON.stringify(body), 'to all');
  }

  openForAll(sealed: string): JsonObject | undefined {
    return this.#open(sealed, 'to all');
  }

  /** Bound to nonce and number: events cannot be dropped, repeated or moved to another response. */
  sealEvent(event: JsonObject, nonce: string, number: number): string {
    return this.#sealer.seal(JSON.stringify(event), `event ${nonce} ${number}`);
  }

  openEvent(sealed: string, nonce: string, number: number): JsonObject | undefined {
    return this.#open(sealed, `event ${nonce} ${number}`);
  }

  #open(sealed: string, bound: string): JsonObject | undefined {
    const text = this.#sealer.open(sealed, bound);
    return text === undefined ? undefined : (JSON.parse(text) as JsonObject); // sealed by another node
  }
}
