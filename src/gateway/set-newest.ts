/** Maps that forget: the last in the order of a Map is the one that was set last. */

/** Forgets the oldest beyond so many. */
export function setNewest<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
