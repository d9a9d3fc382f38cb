/**
 * Whether a host is this machine, by its spelling alone. The only place that decides it: what may go without `https:`, which
 * pages may call, where a server may listen without asking who calls.
 */

/** The usual spellings, which need no parsing. */
const usual: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/**
 * A host as a URL, a `Host` field or a socket has it, without a port: 127.0.0.0/8, ::1, either as mapped IPv6, and `localhost`.
 * Names below `localhost` are not: browsers keep them on this machine, but other resolvers ask the network.
 */
export function isLoopbackHost(host: string): boolean {
  if (usual.has(host)) return true;
  // The URL parser has one spelling for octal, hexadecimal, short and mapped forms; it must get nothing but a host.
  if (/[^\w.:[\]-]/.test(host)) return false;
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const url = `http://${bracketed}/`;
  const name = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
  return usual.has(name) || /^127(?:\.\d{1,3}){3}$/.test(name) || /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(name);
}
