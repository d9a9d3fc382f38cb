/** What differs between runtimes. */

/** Other runtimes pretend to be Node, and have a better `fetch` than they have sockets. */
export function isNode(): boolean {
  const pretends = 'Deno' in globalThis || 'Bun' in globalThis;
  return !pretends && typeof process === 'object' && typeof process.versions?.node === 'string';
}

/** The end of the current turn of the event loop: everything that was started together has been started by then. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
