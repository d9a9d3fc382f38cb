/**
 * SSRF protection: an allow-list of the URLs that the OAuth flow can request, because servers that are not trusted yet name them. Allows
 * `https:` to public addresses, and addresses in the network of the MCP endpoint itself.
 */
import { type AddressScope, addressScope, hostScope } from './addresses.ts';

export interface DestinationContext {
  /** The trusted URL whose origin and network are allowed: the MCP endpoint, or a URL that the application names. */
  readonly from?: URL | undefined;
  /** Allows every server to name URLs in private networks and on this machine, also over `http:`. */
  readonly dangerouslyAllowPrivateAddresses?: boolean | undefined;
}

/** Why a URL is blocked. Checks only what needs no DNS. */
export function urlFault(url: URL, context: DestinationContext): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `it must be https:, not ${url.protocol}`;
  if (url.username !== '' || url.password !== '') return 'it names a user, which hides where it leads';
  return scopeFault(url, url.hostname, hostScope(url.hostname), context);
}

/** Why an address is blocked that DNS returned for the host of a URL. */
export function addressFault(url: URL, address: string, context: DestinationContext): string | undefined {
  return scopeFault(url, `${url.hostname}, which is ${address},`, addressScope(address), context);
}

/** `scope` is undefined for a name that DNS has not resolved yet. */
function scopeFault(
  url: URL,
  host: string,
  scope: AddressScope | undefined,
  context: DestinationContext,
): string | undefined {
  const { from, dangerouslyAllowPrivateAddresses: allowed = false } = context;
  if (url.protocol === 'http:' && scope !== 'loopback' && !(allowed && scope === 'private'))
    return 'it must be https:; http: is for this machine';
  // The user or the application named this origin, so its scope does not matter.
  if (url.origin === from?.origin || scope === undefined || scope === 'public') return undefined;
  if (scope === 'reserved') return `${host} is in a reserved address range`;
  // An endpoint on this machine can also reach private networks; one in a private network cannot reach this machine.
  const near = from === undefined ? undefined : hostScope(from.hostname);
  if (allowed || near === 'loopback' || near === scope) return undefined;
  const where = scope === 'loopback' ? 'on this machine' : 'in a private network';
  return `${host} is ${where}, and the MCP endpoint is not. To allow it, set dangerouslyAllowPrivateAddresses`;
}
