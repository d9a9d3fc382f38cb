/** A code is worth nothing without the secret of whoever asked for it (RFC 7636), and an answer nothing without our mark. */
import { toBase64Url } from '../../../model/base64.ts';

export interface CodeChallenge {
  readonly verifier: string;
  /** S256 of the verifier. */
  readonly challenge: string;
}

export async function createCodeChallenge(): Promise<CodeChallenge> {
  const verifier = randomSecret();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: toBase64Url(new Uint8Array(digest)) };
}

/** 256 bits that nobody can guess, as text. */
export function randomSecret(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}
