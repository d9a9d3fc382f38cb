/** A size limit for a Map, which iterates in insertion order. */

/** Sets an entry as the newest, and evicts the oldest if the map has more than `most`. */
export function setNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  const { value: oldest } = map.keys().next();
  map.delete(oldest as K); // the map is not empty
}
