/** Memory that nobody looks at any more and that can be written into again. */
export interface BufferPool {
  /** Whoever still has it sees none of it from now on. Too much of it, and the small, is left to the garbage collector. */
  give(memory: ArrayBufferLike): void;
  take(): ArrayBuffer | undefined;
}

const MIN_BYTES = 256 * 1024;

export function createBufferPool(maxBytes: number): BufferPool {
  const free: ArrayBuffer[] = [];
  let bytes = 0;
  return {
    give(memory) {
      if (!('detached' in memory) || memory.detached || memory.byteLength < MIN_BYTES || bytes + memory.byteLength > maxBytes) return;
      bytes += memory.byteLength;
      // Taken away at once, so that a mail that is still looked at is empty now and always, not another one by chance.
      free.push(memory.transfer());
    },
    take() {
      const memory = free.pop();
      bytes -= memory?.byteLength ?? 0;
      return memory;
    },
  };
}
