/** The `Authorization` field: the one place where a token may be, read strictly (RFC 6750, RFC 9449). */
import type { AuthRequest } from '../../model/auth.ts';

export interface PresentedToken {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

/** Characters of the whole field. */
const MAX_LENGTH = 16 * 1024;

/** Undefined when there are none; a text says what is wrong with them. */
export function readAuthorization(request: AuthRequest): PresentedToken | string | undefined {
  // Addresses are written down everywhere on the way.
  if (new URLSearchParams(request.query).has('access_token')) return 'a token in the address of a request';
  const field = request.header('authorization');
  if (field === undefined) return undefined;
  if (field.length > MAX_LENGTH) return `an Authorization field of ${field.length} characters`;
  const at = field.search(/[ \t]/);
  const scheme = (at === -1 ? field : field.slice(0, at)).toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'dpop') return undefined;
  const token = at === -1 ? '' : field.slice(at).trim();
  // Two fields are one with a comma in it, and a comma is in no token.
  return /^[\w.~+/-]+=*$/.test(token) ? { scheme, token } : 'an Authorization field that holds no token, or several';
}
