/** Which runtime this is, for what only Node can do. */

/** Other runtimes pretend to be Node, and have a better `fetch` than they have sockets. */
export function isNode(): boolean {
  const pretends = 'Deno' in globalThis || 'Bun' in globalThis;
  return !pretends && typeof process === 'object' && typeof process.versions?.node === 'string';
}
