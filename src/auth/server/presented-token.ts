/** Reads the access token from the `Authorization` header, the only accepted place (RFC 6750, RFC 9449). */
import { isObject } from '../../jsonrpc/message.ts';
import type { AuthRequest } from '../../model/auth.ts';
import type { Claims } from './token-verifier.ts';

export interface PresentedToken {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

/** Maximum length of the header value. */
const MAX_LENGTH = 16 * 1024;

/** Returns undefined without credentials, or a string that says why they are malformed. */
export function readAuthorization(request: AuthRequest): PresentedToken | string | undefined {
  // URLs are logged, so a token in the query is rejected.
  if (request.query !== '' && new URLSearchParams(request.query).has('access_token'))
    return 'a token in the URL of a request';
  const field = request.header('authorization');
  if (field === undefined) return undefined;
  if (field.length > MAX_LENGTH) return `an Authorization field of ${field.length} characters`;
  const at = field.search(/[ \t]/);
  const scheme = (at === -1 ? field : field.slice(0, at)).toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'dpop') return undefined;
  const token = at === -1 ? '' : field.slice(at).trim();
  // Node joins repeated headers with a comma, which is not valid in a token.
  return /^[\w.~+/-]+=*$/.test(token) ? { scheme, token } : 'an Authorization field without a token, or with several';
}

/** The thumbprint (`cnf.jkt`) of the DPoP key that a token is bound to. */
export function boundKey({ cnf }: Claims): string | undefined {
  const jkt = isObject(cnf) ? cnf['jkt'] : undefined;
  return typeof jkt === 'string' && jkt !== '' ? jkt : undefined;
}

/** Why scheme and token do not match: a bound token needs a DPoP proof, and a proof needs a bound token. */
export function bindingFault(
  { scheme }: PresentedToken,
  claims: Claims,
  dpop: 'accepted' | 'required' | undefined,
): string | undefined {
  if (scheme === 'dpop') return boundKey(claims) === undefined ? 'it is not bound to a key' : undefined;
  if (claims['cnf'] !== undefined) return 'it is bound to a key, but the request has no DPoP proof';
  return dpop === 'required' ? 'only tokens that are bound to a key are accepted here' : undefined;
}
