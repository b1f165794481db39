/** Sets a value, and removes the oldest one when the map has `maxSize` already. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxSize: number): void {
  if (map.size >= maxSize) map.delete(map.keys().next().value!);
  map.set(key, value);
}
