/** Resolves the target of a redirect, and decides whether it is followed. */
import { MAX_REDIRECTS } from '../../model/redirects.ts';
import type { OutgoingHttpRequest } from './outgoing-http-request.ts';

export interface Redirect {
  readonly status: number;
  readonly location: string | undefined;
  readonly from: URL;
  readonly method: OutgoingHttpRequest['method'];
  /** Number of redirects of this request so far, including this one. */
  readonly count: number;
}

/** Only redirects within the same origin are followed. `why` is set if a redirect is rejected. */
export function redirectTarget(redirect: Redirect): { readonly to?: URL; readonly why?: string } {
  const { status, location, from, method, count } = redirect;
  if (location === undefined || !URL.canParse(location, from)) return { why: 'that is not a URL' };
  const to = new URL(location, from);
  if (to.origin !== from.origin) return { to, why: 'the request would go to another origin' };
  if (status === 303 && method !== 'GET') return { to, why: 'the method would change' };
  if (count > MAX_REDIRECTS) return { to, why: `more than ${MAX_REDIRECTS} redirects in a row` };
  return { to };
}
