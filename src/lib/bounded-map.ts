/** Keeps a value; when there are `most` of them already, the oldest one goes. */
export function setBounded<Key, Value>(memory: Map<Key, Value>, key: Key, value: Value, most: number): void {
  if (memory.size >= most) memory.delete(memory.keys().next().value!);
  memory.set(key, value);
}
