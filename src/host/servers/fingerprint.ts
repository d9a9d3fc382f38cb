/** What an approval of a command or a URL is bound to: every value that the server gets, of which the hash tells nothing. */
import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../../model/canonical.ts';
import { keyedSha256, sha256 } from '../act/binding.ts';

/** Resolves with random bytes that stay secret. A hash without a key would tell a short value to anyone who guesses. */
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
