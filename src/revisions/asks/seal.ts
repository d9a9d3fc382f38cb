/** Seals state that travels through the client: it cannot be read, changed, or used for another request. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, isPromise } from '../../jsonrpc/message.ts';
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';
import type { Clock } from '../../peer/clock.ts';

export interface Sealer {
  /** `bound` is what the text belongs to; it must be the same when it is opened. */
  seal(text: string, bound: string): Promise<string>;
  /** The text, or −32602 if it is not ours, was changed, or belongs elsewhere. */
  open(sealed: string, bound: string): Promise<string>;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** As much of Node as is used here. WebCrypto moves each text to a thread, and base64 without `Buffer` takes longer than sealing. */
interface NodeCrypto {
  readonly Buffer: {
    from(text: string, encoding: 'base64url'): Uint8Array<ArrayBuffer>;
    from(bytes: Uint8Array): { toString(encoding: 'base64url'): string };
  };
  createCipheriv(name: 'aes-256-gcm', key: Uint8Array, iv: Uint8Array): NodeCipher;
  createDecipheriv(name: 'aes-256-gcm', key: Uint8Array, iv: Uint8Array): NodeCipher;
}
interface NodeCipher {
  setAAD(bound: Uint8Array): unknown;
  update(bytes: Uint8Array): Uint8Array;
  final(): Uint8Array;
  getAuthTag(): Uint8Array;
  setAuthTag(tag: Uint8Array): unknown;
}

/** Encrypts and decrypts with one key; the tag is at the end, as WebCrypto has it. Throws, or rejects, for what does not fit. */
interface AesGcm {
  encrypt(iv: Uint8Array<ArrayBuffer>, bound: Uint8Array<ArrayBuffer>, text: Uint8Array<ArrayBuffer>): Bytes;
  decrypt(iv: Uint8Array<ArrayBuffer>, bound: Uint8Array<ArrayBuffer>, body: Uint8Array<ArrayBuffer>): Bytes;
}
type Bytes = readonly Uint8Array[] | Promise<readonly Uint8Array[]>;

function nodeAes({ createCipheriv, createDecipheriv }: NodeCrypto, key: Uint8Array): AesGcm {
  return {
    encrypt(iv, bound, text) {
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      cipher.setAAD(bound);
      return [cipher.update(text), cipher.final(), cipher.getAuthTag()];
    },
    decrypt(iv, bound, body) {
      const decipher = createDecipheriv('aes-256-gcm', key, iv);
      decipher.setAAD(bound);
      // Shorter tags would be accepted too, and are easier to guess.
      if (body.length < TAG_BYTES) throw new RangeError('too short');
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      return [decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()];
    },
  };
}

function webAes(key: Uint8Array<ArrayBuffer>): AesGcm {
  const imported = crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
  // Whoever uses it finds out.
  imported.catch(() => undefined);
  const how = (iv: Uint8Array<ArrayBuffer>, additionalData: Uint8Array<ArrayBuffer>): AesGcmParams => ({
    ...{ name: 'AES-GCM', iv, additionalData },
  });
  return {
    encrypt: async (iv, bound, text) => [
      new Uint8Array(await crypto.subtle.encrypt(how(iv, bound), await imported, text)),
    ],
    decrypt: async (iv, bound, body) => [
      new Uint8Array(await crypto.subtle.decrypt(how(iv, bound), await imported, body)),
    ],
  };
}

/** `node:crypto`, where there is one. */
function findNodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }; // Node's, if any
  const load = (id: string): object => (process?.getBuiltinModule?.(id) ?? {}) as object; // a module is one
  const { createCipheriv, createDecipheriv, Buffer } = {
    ...load('crypto'),
    ...load('buffer'),
  } as Partial<NodeCrypto>;
  // Other runtimes have parts of them.
  if (createCipheriv === undefined || createDecipheriv === undefined || Buffer === undefined) return undefined;
  return { createCipheriv, createDecipheriv, Buffer };
}

/** Strict, as `fromBase64Url` is: only the text that would be written is read. */
const nodeText = ({ Buffer }: NodeCrypto): SealedText => ({
  write: (bytes) => Buffer.from(bytes).toString('base64url'),
  read(text) {
    const bytes = Buffer.from(text, 'base64url');
    return bytes.length > 0 && Buffer.from(bytes).toString('base64url') === text ? bytes : undefined;
  },
});
const webText: SealedText = { write: toBase64Url, read: fromBase64Url };

interface SealedText {
  write(bytes: Uint8Array): string;
  read(text: string): Uint8Array<ArrayBuffer> | undefined;
}

/** AES-256-GCM. The first key seals; all of them open, so that keys can be rotated. Without keys, one is made for this process. */
export function createSealer(
  keys: readonly Uint8Array<ArrayBuffer>[] = [crypto.getRandomValues(new Uint8Array(32))],
  node: NodeCrypto | false = findNodeCrypto() ?? false,
): Sealer {
  const ciphers = keys.map((key) => (node === false ? webAes(key) : nodeAes(node, key)));
  const { write, read } = node === false ? webText : nodeText(node);
  const encoder = new TextEncoder();
  return {
    async seal(text, bound) {
      const [cipher] = ciphers;
      if (cipher === undefined) throw new RangeError('A sealer needs at least one key');
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const body = cipher.encrypt(iv, encoder.encode(bound), encoder.encode(text));
      return write(joinBytes([iv, ...(isPromise(body) ? await body : body)]));
    },
    async open(sealed, bound) {
      const bytes = read(sealed) ?? new Uint8Array();
      const [iv, body] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)];
      for (const cipher of ciphers) {
        try {
          const text = cipher.decrypt(iv, encoder.encode(bound), body);
          return new TextDecoder().decode(joinBytes(isPromise(text) ? await text : text));
        } catch {
          // Another key may fit; if none does, it is not ours.
        }
      }
      throw new RpcError(INVALID_PARAMS, 'requestState was not issued by this server for this request');
    },
  };
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
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
