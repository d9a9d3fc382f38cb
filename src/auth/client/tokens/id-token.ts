/**
 * Reads the user from an ID token (OpenID Connect), for display only; no permission depends on it. Does not verify the signature, because
 * the token endpoint returned the token over TLS (Core 3.1.3.7).
 */
import { fromBase64Url } from '../../../model/base64.ts';
import { type MetadataDocument, parseDocument } from '../context/metadata-document.ts';
import type { SignedInUser } from '../credentials/token-store.ts';

/** Claims are truncated to this length for display. */
const MAX_LENGTH = 200;

/** Returns undefined for a missing token, or one of another client or issuer. */
export function readIdToken(
  token: string | undefined,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string | undefined },
): SignedInUser | undefined {
  const claims = claimsOf(token);
  const subject = claims?.text('sub');
  if (claims === undefined || subject === undefined || claims.text('iss') !== issuer) return undefined;
  const audiences = claims.texts('aud') ?? [claims.text('aud')];
  if (clientId === undefined || !audiences.includes(clientId)) return undefined;
  return {
    subject: subject.slice(0, MAX_LENGTH),
    name: (claims.text('name') ?? claims.text('preferred_username'))?.slice(0, MAX_LENGTH),
    email: claims.text('email')?.slice(0, MAX_LENGTH),
  };
}

function claimsOf(token: string | undefined): MetadataDocument | undefined {
  const bytes = fromBase64Url(token?.split('.')[1] ?? '');
  return bytes === undefined ? undefined : parseDocument(new TextDecoder().decode(bytes));
}
