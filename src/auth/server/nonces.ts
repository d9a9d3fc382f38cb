/** Stateless DPoP nonces: each contains its creation time and an HMAC with the server's key, so none is stored. */
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';
import type { VerificationTime } from './token-verifier.ts';

/** How long a nonce is valid. */
const LIFE_MS = 5 * 60_000;
const TIME_BYTES = 8;

export class Nonces {
  readonly #time: VerificationTime;
  readonly #key: Promise<CryptoKey>;

  /** Processes behind one URL must share a key, or they reject each other's nonces. */
  constructor(time: VerificationTime, key: Uint8Array<ArrayBuffer> = crypto.getRandomValues(new Uint8Array(32))) {
    this.#time = time;
    this.#key = crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  }

  async create(): Promise<string> {
    const time = new Uint8Array(TIME_BYTES);
    new DataView(time.buffer).setFloat64(0, this.#time.clock.wall());
    const seal = new Uint8Array(await crypto.subtle.sign('HMAC', await this.#key, time));
    return toBase64Url(Uint8Array.of(...time, ...seal));
  }

  /** Whether this server issued the nonce, and it has not expired. The HMAC is compared in constant time. */
  async isValid(nonce: string): Promise<boolean> {
    const bytes = fromBase64Url(nonce);
    if (bytes === undefined) return false;
    const time = bytes.slice(0, TIME_BYTES);
    if (!(await crypto.subtle.verify('HMAC', await this.#key, bytes.slice(TIME_BYTES), time))) return false;
    const { clock, clockSkewMs } = this.#time;
    const age = clock.wall() - new DataView(time.buffer).getFloat64(0);
    // Clock skew: the process that issued the nonce can be ahead of this one.
    return age >= -clockSkewMs && age < LIFE_MS;
  }
}
