/** Encryption at rest for `fileCredentials`: AES-256-GCM, with a key derived from the application's key and a salt in the file. */
import { createCipheriv, createDecipheriv, hkdf, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { parseObject } from '../../../jsonrpc/read.ts';
import { credentialStoreError } from './credential-store.ts';

export const SALT_BYTES = 16;
const FORMAT = 'mooring credentials 1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** scrypt parameters: 32 MiB, and slow enough to make guessing a passphrase expensive. A process derives the key once. */
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };

interface Sealed {
  readonly format: string;
  readonly salt: string;
  readonly nonce: string;
  readonly data: string;
}

/** Derives a passphrase slowly with scrypt, because it can be weak; random bytes need only HKDF. */
export async function deriveKey(key: string | Uint8Array, salt: Buffer): Promise<Buffer> {
  if (typeof key !== 'string') return Buffer.from(await promisify(hkdf)('sha256', key, salt, FORMAT, KEY_BYTES));
  return new Promise((resolve, reject) => {
    scrypt(key, salt, KEY_BYTES, COST, (error, derived) => (error === null ? resolve(derived) : reject(error)));
  });
}

export function seal({ key, salt }: { key: Buffer; salt: Buffer }, stored: ReadonlyMap<string, string>): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associatedData(salt));
  const data = Buffer.concat([cipher.update(JSON.stringify([...stored]), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const sealed: Sealed = { format: FORMAT, salt: base64(salt), nonce: base64(nonce), data: base64(data) };
  return `${JSON.stringify(sealed)}\n`;
}

export const readSalt = (text: string, path: string): Buffer => Buffer.from(parseSealed(text, path).salt, 'base64');

export function unseal(key: Buffer, text: string, path: string): Map<string, string> {
  const { salt, nonce, data } = parseSealed(text, path);
  const bytes = Buffer.from(data, 'base64');
  const end = bytes.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(Buffer.from(salt, 'base64'))).setAuthTag(bytes.subarray(end));
    const plain = Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()]).toString('utf8');
    return new Map(JSON.parse(plain) as [string, string][]); // authenticated, so `seal` wrote it
  } catch (cause) {
    const why = 'it was encrypted with another key, or changed; use that key, or move the file away and sign in again';
    throw credentialStoreError(path, why, cause);
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');

/** Authenticates the format and the salt, so that neither can be changed in the file. */
const associatedData = (salt: Buffer): Buffer => Buffer.concat([Buffer.from(FORMAT), salt]);

function parseSealed(text: string, path: string): Sealed {
  const { format, salt, nonce, data } = parseObject(text) ?? {};
  if (format === FORMAT && typeof salt === 'string' && typeof nonce === 'string' && typeof data === 'string')
    return { format, salt, nonce, data };
  throw credentialStoreError(path, 'it is not a complete credentials file; move it away and sign in again');
}
