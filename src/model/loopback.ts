/**
 * Whether a host is loopback, by its text alone, without DNS. All such decisions are made here: which URLs can do without `https:`,
 * which web pages can call a server, and where a server can listen without authentication.
 */

/**
 * Takes a host from a URL, a `Host` header or a socket, without a port. True for 127.0.0.0/8, ::1, either as mapped IPv6, and
 * `localhost`. False for names below `localhost`: browsers keep them on this machine, but other resolvers ask the network.
 */
export function isLoopbackHost(host: string): boolean {
  // The URL parser normalizes octal, hexadecimal, short and mapped forms. It must get nothing but a host.
  if (/[^\w.:[\]-]/.test(host)) return false;
  const bracketed = host.includes(':') && host[0] !== '[' ? `[${host}]` : host;
  const url = `http://${bracketed}/`;
  const name = URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
  if (name === 'localhost' || name === '[::1]') return true;
  // The URL parser makes every host that ends in a number an IPv4 address with four numbers.
  return /^127\.[\d.]*\d$/.test(name) || /\[::ffff:7f[\da-f]{2}:[\da-f]*\]/.test(name);
}
