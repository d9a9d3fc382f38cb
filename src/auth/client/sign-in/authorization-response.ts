/** What a person comes back with from an authorization server: believed only when it bears our mark and the right name. */
import { printable } from '../../../model/printable.ts';
import type { AuthContext } from '../context/auth-context.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';

/** What was noted before the person was sent away. */
export interface ExpectedResponse {
  readonly state: string;
  readonly server: AuthorizationServer;
}

const STEP = 'authorization response';

/** The code, if everything is as it should be. Nothing else of the response is looked at, or told, before it is. */
export function readAuthorizationResponse(
  context: AuthContext,
  returned: string,
  { state, server }: ExpectedResponse,
): string {
  const params = URL.canParse(returned) ? new URL(returned).searchParams : new URLSearchParams();
  if (single(params, 'state') !== state)
    throw context.failure(STEP, 'it does not belong to this sign-in ("state" is missing or another); begin again');
  checkIssuer(context, params, server);
  const error = single(params, 'error');
  if (error !== undefined) {
    const description = single(params, 'error_description');
    const said = description === undefined ? error : `${error} (${description})`;
    throw context.failure(STEP, `the authorization server said ${printable(said.slice(0, 300))}`);
  }
  const code = single(params, 'code');
  if (code === undefined) throw context.failure(STEP, 'it brings neither a code nor an error');
  context.traceAccepted(STEP, 'a code, with our state');
  return code;
}

/** RFC 9207, section 2.4, text against text. */
function checkIssuer(
  context: AuthContext,
  params: URLSearchParams,
  { issuer, sendsIssuer }: AuthorizationServer,
): void {
  const came = params.getAll('iss');
  if (came.length === 0 && !sendsIssuer) return;
  if (came.length === 1 && came[0] === issuer) return;
  const what = came.length === 0 ? 'does not say whom it is from, as it should' : 'is from another issuer';
  const expected = printable(issuer.slice(0, 200));
  throw context.failure(STEP, `it ${what} ("iss"; expected ${expected}): another server may be mixing itself in`);
}

/** A parameter that is there twice is there for a deception. */
function single(params: URLSearchParams, name: string): string | undefined {
  const values = params.getAll(name);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
