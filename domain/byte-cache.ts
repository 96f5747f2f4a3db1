/** A map that forgets what was not used for long when what it holds is larger than it may be. */
export interface ByteCache<K, V> {
  get(key: K): V | undefined;
  /** A value that is larger than half of the whole cache is not kept. */
  set(key: K, value: V, bytes: number): void;
  readonly bytes: number;
}

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

/**
 * Two generations of half the size each: what is used is in the younger one, and when that is full the older one is dropped and the younger
 * grows old. To read from it costs no more than to read from a map.
 */
export function createByteCache<K, V>(maxBytes: number): ByteCache<K, V> {
  let young = new Map<K, Entry<V>>();
  let old = new Map<K, Entry<V>>();
  let youngBytes = 0;
  let oldBytes = 0;
  const add = (key: K, entry: Entry<V>): void => {
    if (youngBytes + entry.bytes > maxBytes / 2) {
      [old, oldBytes] = [young, youngBytes];
      [young, youngBytes] = [new Map(), 0];
    }
    young.set(key, entry);
    youngBytes += entry.bytes;
  };
  const remove = (key: K): void => {
    youngBytes -= young.get(key)?.bytes ?? 0;
    oldBytes -= old.get(key)?.bytes ?? 0;
    young.delete(key);
    old.delete(key);
  };
  return {
    get(key) {
      const entry = young.get(key);
      if (entry) return entry.value;
      const aged = old.get(key);
      if (!aged) return undefined;
      remove(key);
      add(key, aged);
      return aged.value;
    },
    set(key, value, bytes) {
      remove(key);
      if (bytes <= maxBytes / 2) add(key, { value, bytes });
    },
    get bytes() {
      return youngBytes + oldBytes;
    },
  };
}
