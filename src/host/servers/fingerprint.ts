/** Hashes all values that a server is opened with. Approvals of its command or URL are bound to this hash. */
import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../../model/canonical.ts';
import { keyedSha256, sha256 } from '../act/binding.ts';

/** Resolves with secret random bytes. Without a key, a short value could be guessed from its hash. */
export type FingerprintKey = () => Promise<Uint8Array>;

/** A random key for this process. */
export function processKey(): FingerprintKey {
  const key = randomBytes(32);
  return () => Promise.resolve(key);
}

/** `hidden` has the values that the user is not shown. Without it, no key is needed, and the hash is the same in every process. */
export async function fingerprintOf(shown: object, hidden: unknown, key: FingerprintKey): Promise<string> {
  if (hidden === undefined) return sha256(canonicalJson(shown));
  return keyedSha256(await key(), canonicalJson([shown, hidden]));
}
