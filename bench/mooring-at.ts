/** The files of Mooring's entry points in the build that the benchmark makes. */

const entryPoints: ReadonlyMap<string, string> = new Map([
  ['mooring', 'index.js'],
  ['mooring/node', 'transport/node.js'],
  ['mooring/stdio', 'transport/stdio.js'],
  ['mooring/auth', 'auth/index.js'],
  ['mooring/client', 'connect/index.js'],
  ['mooring/gateway', 'gateway/index.js'],
  ['mooring/redis', 'stores/redis/index.js'],
  ['mooring/tasks', 'extensions/tasks/index.js'],
]);

export const BUILT = '.cache/bench/';

/** The file of an entry point, or undefined for any other module. */
export function mooringAt(id: string, root: string): string | undefined {
  const file = entryPoints.get(id);
  return file === undefined ? undefined : `${root}${BUILT}${file}`;
}
