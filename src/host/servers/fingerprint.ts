/** A hash of every value that a server gets, which an approval of its command or URL is bound to. */
import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../../model/canonical.ts';
import { keyedSha256, sha256 } from '../act/binding.ts';

/** Resolves with random bytes that stay secret. Without a key, a short value could be guessed from its hash. */
export type FingerprintKey = () => Promise<Uint8Array>;

/** Good for as long as this process runs. */
export function processKey(): FingerprintKey {
  const key = randomBytes(32);
  return () => Promise.resolve(key);
}

/** `hidden` is what is not shown; without any, no key is needed, and the hash is the same for every process. */
export async function fingerprintOf(shown: object, hidden: unknown, key: FingerprintKey): Promise<string> {
  if (hidden === undefined) return sha256(canonicalJson(shown));
  return keyedSha256(await key(), canonicalJson([shown, hidden]));
}
