/** Validates the authorization response: `state` against CSRF, `iss` against mix-up attacks. */
import { printable } from '../../../model/printable.ts';
import { type AuthContext, quoteText } from '../context/auth-context.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';

const STEP = 'authorization response';

/** Returns the code. Checks `state` and `iss` before the rest of the response is read or quoted in an error. */
export function readAuthorizationResponse(
  context: AuthContext,
  returned: string,
  { state, server }: { readonly state: string; readonly server: AuthorizationServer },
): string {
  const params = URL.canParse(returned) ? new URL(returned).searchParams : new URLSearchParams();
  if (single(params, 'state') !== state)
    throw context.failure(STEP, 'it belongs to another sign-in ("state" is missing or different); sign in again');
  checkIssuer(context, params, server);
  const error = single(params, 'error');
  if (error !== undefined) {
    const description = single(params, 'error_description');
    const text = description === undefined ? error : `${error} (${description})`;
    throw context.failure(STEP, `the authorization server said ${printable(text.slice(0, 300))}`);
  }
  const code = single(params, 'code');
  if (code === undefined) throw context.failure(STEP, 'it has neither a code nor an error');
  context.traceAccepted(STEP, 'a code, with our state');
  return code;
}

/** Compares `iss` as text (RFC 9207, section 2.4). */
function checkIssuer(
  context: AuthContext,
  params: URLSearchParams,
  { issuer, sendsIssuer }: AuthorizationServer,
): void {
  const values = params.getAll('iss');
  if (values.length === 0 && !sendsIssuer) return;
  if (values.length === 1 && values[0] === issuer) return;
  const what = values.length === 0 ? 'does not name its issuer' : 'is from another issuer';
  throw context.failure(STEP, `it ${what} ("iss"; expected ${quoteText(issuer)}): this can be a mix-up attack`);
}

/** The value of a parameter that occurs once. A repeated one is ignored, because parsers disagree on which value counts. */
function single(params: URLSearchParams, name: string): string | undefined {
  const values = params.getAll(name);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
