/**
 * Which URLs the OAuth flow can request. They come from servers that are not trusted yet, so the rule lists what is allowed: `https:` to
 * a public address, and what the MCP endpoint can reach from its own network anyway.
 */
import { type AddressScope, addressScope, hostScope } from './addresses.ts';

export interface DestinationContext {
  /** The MCP endpoint that the token is for. */
  readonly from?: URL | undefined;
  /** Allows private networks and this machine, also over `http:`, for every server that names them. */
  readonly dangerouslyAllowPrivateAddresses?: boolean | undefined;
}

/** Why a URL is blocked, as far as it shows without DNS. */
export function urlFault(url: URL, context: DestinationContext): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `it must be https:, not ${url.protocol}`;
  if (url.username !== '' || url.password !== '') return 'it names a user, which hides where it leads';
  return scopeFault(url, url.hostname, hostScope(url.hostname), context);
}

/** Why an address that the host of a URL resolves to is blocked. */
export function addressFault(url: URL, address: string, context: DestinationContext): string | undefined {
  return scopeFault(url, `${url.hostname}, which is ${address},`, addressScope(address), context);
}

/** `scope` is undefined until the name is resolved. */
function scopeFault(
  url: URL,
  host: string,
  scope: AddressScope | undefined,
  context: DestinationContext,
): string | undefined {
  const { from, dangerouslyAllowPrivateAddresses: allowed = false } = context;
  if (url.protocol === 'http:' && scope !== 'loopback' && !(allowed && scope === 'private'))
    return 'it must be https:; http: is for this machine';
  // The user named this very origin, wherever it may be.
  if (url.origin === from?.origin || scope === undefined || scope === 'public') return undefined;
  if (scope === 'reserved') return `${host} is in a range where no web server belongs`;
  // A process on this machine sees its network too; one in the private network does not see this machine.
  const near = from === undefined ? undefined : hostScope(from.hostname);
  if (allowed || near === 'loopback' || near === scope) return undefined;
  const where = scope === 'loopback' ? 'on this machine' : 'in a private network';
  return `${host} is ${where}, and the MCP endpoint is not. To allow it, set dangerouslyAllowPrivateAddresses`;
}
