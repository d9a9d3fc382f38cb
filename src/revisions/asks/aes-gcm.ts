/** AES-256-GCM for text: IV, ciphertext and tag, in base64url. Uses `node:crypto` if available, otherwise WebCrypto. */
import { fromBase64Url, toBase64Url } from '../../model/base64.ts';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

type Bytes = Uint8Array<ArrayBuffer>;

/** The part of `node:crypto` in use. Faster than WebCrypto, which is asynchronous, and needs base64url without `Buffer`. */
export interface NodeCrypto {
  readonly Buffer: {
    from(text: string, encoding?: 'base64url'): Bytes;
    concat(pieces: readonly Uint8Array[]): { toString(encoding: 'base64url' | 'utf8'): string };
  };
  createCipheriv(name: typeof ALGORITHM, key: Uint8Array, iv: Uint8Array): NodeCipher & { getAuthTag(): Uint8Array };
  createDecipheriv(
    name: typeof ALGORITHM,
    key: Uint8Array,
    iv: Uint8Array,
  ): NodeCipher & { setAuthTag(tag: Uint8Array): unknown };
}
interface NodeCipher {
  setAAD(bound: Uint8Array): unknown;
  update(bytes: Uint8Array): Uint8Array;
  final(): Uint8Array;
}

/** Seals with the first key and opens with any. `open` returns undefined if no key decrypts the text. */
interface Sealing<T, O> {
  /** `bound` is additional authenticated data: `open` needs the same value. */
  seal(text: string, bound: string): T;
  open(sealed: string, bound: string): O;
}
/** Synchronous, as `node:crypto` is. */
export type NodeSealing = Sealing<string, string | undefined>;

/** Identifies a sealed text by its IV, which is random and authenticated. */
export const sealedTextId = (sealed: string): string => sealed.slice(0, (IV_BYTES / 3) * 4);

const randomVector = (): Bytes => crypto.getRandomValues(new Uint8Array(IV_BYTES));

export function nodeSealing(keys: readonly Uint8Array[], node: NodeCrypto): NodeSealing {
  const { Buffer, createCipheriv, createDecipheriv } = node;
  const bytesOf = (text: string): Bytes => Buffer.from(text);
  return {
    seal(text, bound) {
      const iv = randomVector();
      const cipher = createCipheriv(ALGORITHM, keys[0] as Uint8Array, iv); // callers check that a key exists
      cipher.setAAD(bytesOf(bound));
      return Buffer.concat([iv, cipher.update(bytesOf(text)), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      );
    },
    open(sealed, bound) {
      const bytes = Buffer.from(sealed, 'base64url');
      // Rejects other encodings of the same bytes (malleability), and truncated tags, which would be easier to forge.
      if (bytes.length < IV_BYTES + TAG_BYTES || Buffer.concat([bytes]).toString('base64url') !== sealed)
        return undefined;
      for (const key of keys) {
        try {
          const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES));
          decipher.setAAD(bytesOf(bound));
          decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
          const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
          return Buffer.concat([text, decipher.final()]).toString('utf8');
        } catch {
          // Try the next key.
        }
      }
      return undefined;
    },
  };
}

export function webSealing(keys: readonly Bytes[]): Sealing<Promise<string>, Promise<string | undefined>> {
  const encoder = new TextEncoder();
  const imported = keys.map((key) => crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']));
  // Avoids unhandled rejections; `seal` and `open` report a bad key.
  for (const key of imported) key.catch(() => undefined);
  const paramsOf = (iv: Bytes, bound: string): AesGcmParams => {
    const additionalData = encoder.encode(bound);
    return { name: 'AES-GCM', iv, additionalData };
  };
  return {
    async seal(text, bound) {
      const iv = randomVector();
      const key = await (imported[0] as Promise<CryptoKey>); // callers check that a key exists
      const body = new Uint8Array(await crypto.subtle.encrypt(paramsOf(iv, bound), key, encoder.encode(text)));
      const joined = new Uint8Array(IV_BYTES + body.length);
      joined.set(iv);
      joined.set(body, IV_BYTES);
      return toBase64Url(joined);
    },
    async open(sealed, bound) {
      const bytes = fromBase64Url(sealed) ?? new Uint8Array();
      const [iv, body] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)];
      for (const key of imported) {
        try {
          return new TextDecoder().decode(await crypto.subtle.decrypt(paramsOf(iv, bound), await key, body));
        } catch {
          // Try the next key.
        }
      }
      return undefined;
    },
  };
}

/** Returns `node:crypto`, if available. Not imported, because bundlers for browsers would try to resolve it. */
export function findNodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }; // Node's, if any
  const load = (id: string): object => (process?.getBuiltinModule?.(id) ?? {}) as object; // a module namespace is an object
  const { createCipheriv, createDecipheriv, Buffer } = {
    ...load('crypto'),
    ...load('buffer'),
  } as Partial<NodeCrypto>;
  // Other runtimes implement only parts of these modules.
  if (createCipheriv === undefined || createDecipheriv === undefined || Buffer === undefined) return undefined;
  return { createCipheriv, createDecipheriv, Buffer };
}
