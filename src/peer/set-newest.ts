/** Maps that forget: the last in the order of a Map is the one that was set last. */

/** Forgets the oldest beyond so many. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const { value: oldest } = map.keys().next();
  map.delete(oldest as K); // there is one
}
