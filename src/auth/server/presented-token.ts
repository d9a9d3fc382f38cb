/** Reads the token of the `Authorization` field, the only place for one (RFC 6750, RFC 9449). */
import { isObject } from '../../jsonrpc/message.ts';
import type { AuthRequest } from '../../model/auth.ts';
import type { Claims } from './token-verifier.ts';

export interface PresentedToken {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

/** Of the whole field. */
const MAX_LENGTH = 16 * 1024;

/** Undefined without credentials; a string says what is wrong with them. */
export function readAuthorization(request: AuthRequest): PresentedToken | string | undefined {
  // URLs get into logs, so a token must not be in one.
  if (request.query !== '' && new URLSearchParams(request.query).has('access_token'))
    return 'a token in the URL of a request';
  const field = request.header('authorization');
  if (field === undefined) return undefined;
  if (field.length > MAX_LENGTH) return `an Authorization field of ${field.length} characters`;
  const at = field.search(/[ \t]/);
  const scheme = (at === -1 ? field : field.slice(0, at)).toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'dpop') return undefined;
  const token = at === -1 ? '' : field.slice(at).trim();
  // Two fields are joined by a comma, which is not valid in a token.
  return /^[\w.~+/-]+=*$/.test(token) ? { scheme, token } : 'an Authorization field without a token, or with several';
}

/** The thumbprint of the key that a token is bound to. */
export function boundKey({ cnf }: Claims): string | undefined {
  const jkt = isObject(cnf) ? cnf['jkt'] : undefined;
  return typeof jkt === 'string' && jkt !== '' ? jkt : undefined;
}

/** A bound token needs a proof, and a proof needs a bound token. */
export function bindingFault(
  { scheme }: PresentedToken,
  claims: Claims,
  dpop: 'accepted' | 'required' | undefined,
): string | undefined {
  if (scheme === 'dpop') return boundKey(claims) === undefined ? 'it is not bound to a key' : undefined;
  if (claims['cnf'] !== undefined) return 'it is bound to a key, and came without a proof';
  return dpop === 'required' ? 'only tokens that are bound to a key are accepted here' : undefined;
}
