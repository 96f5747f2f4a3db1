/** A map of bounded weight that forgets what was used longest ago. */
export interface Lru<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
}

/** `weigh`: what an entry costs of the capacity, in whatever unit that is; without it each entry counts as one. */
export function createLru<K, V>(capacity: number, weigh: (value: V, key: K) => number = () => 1): Lru<K, V> {
  const entries = new Map<K, { readonly value: V; readonly weight: number }>();
  let total = 0;
  const forget = (key: K): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      forget(key);
      const weight = weigh(value, key);
      entries.set(key, { value, weight });
      total += weight;
      while (total > capacity) forget(entries.keys().next().value as K);
    },
  };
}
