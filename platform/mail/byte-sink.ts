/** Bytes that are written one after the other into one growing buffer. */
export class ByteSink {
  bytes: Buffer<ArrayBuffer>;
  end = 0;

  /** `memory`: to write into, where there is some; it is given up when it is too small. */
  constructor(size: number, memory?: ArrayBuffer) {
    // Never of a pool, so that it can be handed over; what is not written yet is never read.
    this.bytes = memory && memory.byteLength >= size ? Buffer.from(memory) : Buffer.allocUnsafeSlow(size);
  }

  /** Makes room for so many bytes more; `bytes` is another one afterwards when there was none. */
  reserve(count: number): void {
    if (this.end + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.end + count));
    larger.set(this.bytes.subarray(0, this.end));
    this.bytes = larger;
  }

  write(text: string, encoding: 'latin1' | 'utf8'): void {
    this.reserve(encoding === 'latin1' ? text.length : text.length * 3);
    this.end += this.bytes.write(text, this.end, encoding);
  }
}
