/**
 * Where a request on the way to a token may go. The addresses come from servers that nobody vouches for, so the rule is a list of what
 * is allowed: `https:` to a public address, and what the MCP endpoint could reach from where it stands anyway.
 */
import { type AddressScope, addressScope, hostScope } from './addresses.ts';

export interface DestinationContext {
  /** The MCP endpoint that the token is for. */
  readonly from?: URL | undefined;
  /** Private networks and this machine may be asked whoever names them, and by `http:`. */
  readonly dangerouslyAllowPrivateAddresses?: boolean | undefined;
}

/** Why a URL may not be asked, as far as it shows without DNS. */
export function urlFault(url: URL, standing: DestinationContext): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `only https: is asked, never ${url.protocol}`;
  if (url.username !== '' || url.password !== '') return 'it names a user, which hides where it leads';
  return placeFault({ url, host: url.hostname, place: hostScope(url.hostname) }, standing);
}

/** Why the host of a URL may not be connected to at one of its addresses. */
export function addressFault(url: URL, address: string, standing: DestinationContext): string | undefined {
  const host = `${url.hostname}, which is ${address},`;
  return placeFault({ url, host, place: addressScope(address) }, standing);
}

interface Destination {
  readonly url: URL;
  readonly host: string;
  /** Undefined until DNS has been asked. */
  readonly place: AddressScope | undefined;
}

function placeFault({ url, host, place }: Destination, standing: DestinationContext): string | undefined {
  const { from, dangerouslyAllowPrivateAddresses: allowed = false } = standing;
  if (url.protocol === 'http:' && place !== 'loopback' && !(allowed && place === 'private'))
    return 'it must be https:; http: is for this machine';
  // The user named this very origin, wherever it may be.
  if (url.origin === from?.origin || place === undefined || place === 'public') return undefined;
  if (place === 'reserved') return `${host} is in a range where no web server belongs`;
  // A process on this machine sees its network too; one in the private network does not see this machine.
  const near = from === undefined ? undefined : hostScope(from.hostname);
  if (allowed || near === 'loopback' || near === place) return undefined;
  const where = place === 'loopback' ? 'on this machine' : 'in a private network';
  return `${host} is ${where}, and the MCP endpoint is not; if that is meant, set dangerouslyAllowPrivateAddresses`;
}
