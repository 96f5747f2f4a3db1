/** Bytes that are written one after the other into one growing buffer. */
export class ByteSink {
  bytes: Buffer<ArrayBuffer>;
  end = 0;

  constructor(size: number) {
    this.bytes = Buffer.from(new ArrayBuffer(size));
  }

  /** Makes room for so many bytes more; `bytes` is another one afterwards when there was none. */
  reserve(count: number): void {
    if (this.end + count <= this.bytes.length) return;
    const larger = Buffer.from(new ArrayBuffer(Math.max(this.bytes.length * 2, this.end + count)));
    larger.set(this.bytes.subarray(0, this.end));
    this.bytes = larger;
  }

  write(text: string, encoding: 'latin1' | 'utf8'): void {
    this.reserve(encoding === 'latin1' ? text.length : text.length * 3);
    this.end += this.bytes.write(text, this.end, encoding);
  }
}
