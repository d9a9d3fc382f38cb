/** Differences between JavaScript runtimes. */

/** False in Deno and Bun, which also define `process.versions.node`: their `fetch` is better than their Node sockets. */
export function isNode(): boolean {
  const isLookalike = 'Deno' in globalThis || 'Bun' in globalThis;
  return !isLookalike && typeof process === 'object' && typeof process.versions?.node === 'string';
}

/** Resolves in the next turn of the event loop, after all work that the current turn starts. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
