/** Encryption at rest: AES-256-GCM with a key made from what the application gave and from a salt that stays with the file. */
import { createCipheriv, createDecipheriv, hkdf, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { credentialStoreError } from './file-credentials-disk-node.ts';
import type { CredentialKey } from './file-credentials-key.ts';

export const SALT_BYTES = 16;
const FORMAT = 'mooring credentials 1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** About a fifth of a second and 32 MiB: dear for whoever guesses, once per process for everybody else. */
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };

interface Sealed {
  readonly format: string;
  readonly salt: string;
  readonly nonce: string;
  readonly data: string;
}

/** A passphrase may be guessed, so guessing is made slow; random bytes cannot be. */
export async function deriveKey(given: CredentialKey, salt: Buffer): Promise<Buffer> {
  if (typeof given !== 'string') return Buffer.from(await promisify(hkdf)('sha256', given, salt, FORMAT, KEY_BYTES));
  return new Promise((resolve, reject) => {
    scrypt(given, salt, KEY_BYTES, COST, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

export function seal({ key, salt }: { key: Buffer; salt: Buffer }, kept: ReadonlyMap<string, string>): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associatedData(salt));
  const data = Buffer.concat([cipher.update(JSON.stringify([...kept]), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const sealed: Sealed = { format: FORMAT, salt: text(salt), nonce: text(nonce), data: text(data) };
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
    return new Map(JSON.parse(plain) as [string, string][]); // nobody else can have written it
  } catch (cause) {
    const why =
      'it was written with another key, or changed since; use that key, or move the file away and sign in again';
    throw credentialStoreError(path, why, cause);
  }
}

const text = (bytes: Buffer): string => bytes.toString('base64');

/** A salt from another file does not fit. */
const associatedData = (salt: Buffer): Buffer => Buffer.concat([Buffer.from(FORMAT), salt]);

function parseSealed(text: string, path: string): Sealed {
  const why = 'it holds something else, or only a part; move it away and sign in again';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw credentialStoreError(path, why, cause);
  }
  if (!isSealed(value)) throw credentialStoreError(path, why);
  return value;
}

function isSealed(value: unknown): value is Sealed {
  if (typeof value !== 'object' || value === null) return false;
  const { format, salt, nonce, data } = value as Partial<Record<string, unknown>>; // any object has unknown members
  return format === FORMAT && [salt, nonce, data].every((part) => typeof part === 'string');
}
