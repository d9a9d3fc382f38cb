/**
 * Whether a host is this machine, by its spelling alone. The only place that decides it: what may go without `https:`, which
 * pages may call, where a server may listen without asking who calls.
 */

/**
 * A host as a URL, a `Host` field or a socket has it, without a port: 127.0.0.0/8, ::1, either as mapped IPv6, and `localhost`.
 * Names below `localhost` are not: browsers keep them on this machine, but other resolvers ask the network.
 */
export function isLoopbackHost(host: string): boolean {
  // The URL parser has one spelling for octal, hexadecimal, short and mapped forms; it must get nothing but a host.
  if (/[^\w.:[\]-]/.test(host)) return false;
  const bracketed = host.includes(':') && host[0] !== '[' ? `[${host}]` : host;
  const url = `http://${bracketed}/`;
  const name = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
  if (name === 'localhost' || name === '[::1]') return true;
  // A name that ends in a digit is an address, and has four numbers.
  return /^127\.[\d.]*\d$/.test(name) || /\[::ffff:7f[\da-f]{2}:[\da-f]*\]/.test(name);
}
