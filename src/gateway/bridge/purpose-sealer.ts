/** Seals text with a key of its own for each purpose: what was sealed for one use never opens as another. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { badDefinition } from '../../errors.ts';

/** What sealed text is for: states of calls, records of nodes, envelopes between nodes. */
export type SealingPurpose = 'state' | 'record' | 'peer';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** AES-256-GCM by node:crypto. The first key seals; all of them open, so that keys can be rotated. */
export class PurposeSealer {
  readonly #keys: readonly Buffer[];
  readonly #purpose: SealingPurpose;

  constructor(keys: readonly Uint8Array[], purpose: SealingPurpose) {
    if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES))
      throw badDefinition(`The keys for purpose "${purpose}"`, `must be ${KEY_BYTES} bytes each, at least one`);
    this.#purpose = purpose;
    this.#keys = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `mooring ${purpose} v1`, KEY_BYTES)));
  }

  /** `bound` is what the text belongs to; it must be the same when it is opened. */
  seal(text: string, bound: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#keys[0] as Buffer, iv).setAAD(this.#bound(bound)); // there is at least one
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** The text; undefined if it is not ours, was changed, or belongs elsewhere. */
  open(sealed: string, bound: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    // Of all texts that stand for the same bytes, only the one that was issued is read.
    if (bytes.length < IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined;
    const iv = bytes.subarray(0, IV_BYTES);
    const body = bytes.subarray(IV_BYTES, -TAG_BYTES);
    for (const key of this.#keys) {
      try {
        const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(this.#bound(bound));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        // Another key may fit; if none does, it is not ours.
      }
    }
    return undefined;
  }

  #bound(bound: string): Buffer {
    return Buffer.from(`${this.#purpose} ${bound}`, 'utf8');
  }
}

/** Names one sealed text: its initialization vector, chosen at random for each. */
export const sealedTextId = (sealed: string): string => sealed.slice(0, (IV_BYTES / 3) * 4);
