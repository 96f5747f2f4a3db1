/** A map that forgets what was used longest ago when what it holds is larger than it may be. */
export interface ByteCache<K, V> {
  get(key: K): V | undefined;
  /** A value that is larger than the whole cache is not kept. */
  set(key: K, value: V, bytes: number): void;
  readonly bytes: number;
}

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

export function createByteCache<K, V>(maxBytes: number): ByteCache<K, V> {
  const entries = new Map<K, Entry<V>>();
  let total = 0;
  const remove = (key: K): void => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, bytes) {
      remove(key);
      if (bytes > maxBytes) return;
      entries.set(key, { value, bytes });
      total += bytes;
      while (total > maxBytes) remove(entries.keys().next().value as K);
    },
    get bytes() {
      return total;
    },
  };
}
