/** Where the doors of Mooring are once the bench has built it. */

const doors: ReadonlyMap<string, string> = new Map([
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

/** The file of a door, or undefined for any other module. */
export function mooringAt(id: string, root: string): string | undefined {
  const door = doors.get(id);
  return door === undefined ? undefined : `${root}${BUILT}${door}`;
}
