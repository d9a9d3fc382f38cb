/** Checks URLs that are opened in a browser, and redirect URIs: only `https:`, or `http:` on this machine. */
import { badDefinition, McpError } from '../../../errors.ts';
import { isLoopbackHost } from '../../../model/loopback.ts';
import { displayUrl } from '../../../model/printable.ts';

export const isLoopbackUrl = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && isLoopbackHost(hostname);

/** Parses a URL that is safe to open. Normalized, so that the program which opens it cannot mistake it for an option or a command. */
export function browserUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const why = url === undefined ? 'that is not a URL' : faultOf(url);
  if (url !== undefined && why === undefined) return url;
  const named = url === undefined ? 'an address' : displayUrl(url);
  throw new McpError('MCP_AUTH_BLOCKED', { step: 'The browser', url: named, why: why ?? '' });
}

function faultOf(url: URL): string | undefined {
  if (url.protocol !== 'https:' && !isLoopbackUrl(url)) return 'it must be https:, or http: on this machine';
  return url.username === '' && url.password === '' ? undefined : 'it names a user, which hides where it leads';
}

/** Parses a redirect URI of the application, or throws. */
export function redirectUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && faultOf(url) === undefined && url.hash === '') return url;
  throw badDefinition(what, 'it must be an https: URL, or an http: URL on this machine, without a user and a fragment');
}
