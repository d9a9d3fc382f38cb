/** Seals state that travels through the client: it cannot be read, changed, or used for another request. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';
import type { Clock } from '../../peer/clock.ts';

export interface Sealer {
  /** `bound` is what the text belongs to; it must be the same when it is opened. */
  seal(text: string, bound: string): Promise<string>;
  /** The text, or −32602 if it is not ours, was changed, or belongs elsewhere. */
  open(sealed: string, bound: string): Promise<string>;
}

const IV_BYTES = 12;

/** AES-256-GCM. The first key seals; all of them open, so that keys can be rotated. Without keys, one is made for this process. */
export function createSealer(keys?: readonly Uint8Array<ArrayBuffer>[]): Sealer {
  let imported: Promise<readonly CryptoKey[]> | undefined;
  const load = (): Promise<readonly CryptoKey[]> => {
    const raw = keys ?? [crypto.getRandomValues(new Uint8Array(32))];
    imported ??= Promise.all(
      raw.map((key) => crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt'])),
    );
    return imported;
  };
  const encoder = new TextEncoder();
  return {
    async seal(text, bound) {
      const [key] = await load();
      if (key === undefined) throw new RangeError('A sealer needs at least one key');
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const how = { name: 'AES-GCM', iv, additionalData: encoder.encode(bound) };
      const body = new Uint8Array(await crypto.subtle.encrypt(how, key, encoder.encode(text)));
      const sealed = new Uint8Array(IV_BYTES + body.length);
      sealed.set(iv);
      sealed.set(body, IV_BYTES);
      return toBase64Url(sealed);
    },
    async open(sealed, bound) {
      const bytes = fromBase64Url(sealed);
      if (bytes !== undefined) {
        const how = { name: 'AES-GCM', iv: bytes.subarray(0, IV_BYTES), additionalData: encoder.encode(bound) };
        for (const key of await load()) {
          try {
            return new TextDecoder().decode(await crypto.subtle.decrypt(how, key, bytes.subarray(IV_BYTES)));
          } catch {
            // Another key may fit; if none does, it is not ours.
          }
        }
      }
      throw new RpcError(INVALID_PARAMS, 'requestState was not issued by this server for this request');
    },
  };
}

/** Seals the state of suspended calls; with a log, or `true` for one in this process, each state opens once. */
export function stateSealer(
  keys: readonly Uint8Array<ArrayBuffer>[] | undefined,
  singleUse: true | StateLog | undefined,
  clock: Clock,
): Sealer {
  const sealer = createSealer(keys);
  if (singleUse === undefined) return sealer;
  return singleUseSealer(sealer, singleUse === true ? memoryStateLog(clock) : singleUse);
}

/** How long a sealed text is good for, and so how long its use has to be remembered. */
export const STATE_LIFE_MS: number = 10 * 60_000;

/** Remembers which sealed texts were used. */
export interface StateLog {
  /** True the first time that an id is given, false from then on; after `lifeMs` it may be forgotten. */
  spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}

/** The text of the initialisation vector: chosen at random for each text, and no other text opens with it. */
const ID_LENGTH = (IV_BYTES / 3) * 4;

export const singleUseSealer = (sealer: Sealer, log: StateLog): Sealer => ({
  seal: sealer.seal,
  async open(sealed, bound) {
    const text = await sealer.open(sealed, bound);
    const spent = Promise.resolve(log.spend(sealed.slice(0, ID_LENGTH), STATE_LIFE_MS));
    if (await spent.catch(rejectUnknown)) return text;
    throw new RpcError(INVALID_PARAMS, 'requestState was used before');
  },
});

/** A state that could have been used before is not used. */
function rejectUnknown(thrown: unknown): never {
  const why = 'Whether requestState was used before is not known now, so send the request again later';
  throw Object.assign(new RpcError(INTERNAL_ERROR, why, { retryAfterMs: 1_000 }), { cause: thrown });
}

/** Remembers within this process. */
export function memoryStateLog(clock: Clock): StateLog {
  const used = new Map<string, number>();
  return {
    spend(id, lifeMs) {
      const now = clock.now();
      // The oldest come first: whatever has expired stands at the front.
      for (const [old, until] of used) {
        if (until > now) break;
        used.delete(old);
      }
      if (used.has(id)) return false;
      used.set(id, now + lifeMs);
      return true;
    },
  };
}
