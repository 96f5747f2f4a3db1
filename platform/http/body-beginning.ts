/** The first bytes of a body that comes in pieces: no more is held of it, whatever comes. */
export class BodyBeginning {
  readonly #pieces: Uint8Array[] = [];
  #left: number;
  #isCut = false;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  add(piece: Uint8Array): void {
    // A copy: a part of the piece would hold all of it.
    const taken = this.#left > 0 ? Uint8Array.from(piece.subarray(0, this.#left)) : undefined;
    if (taken) this.#pieces.push(taken);
    this.#left -= taken?.length ?? 0;
    this.#isCut ||= piece.length > (taken?.length ?? 0);
  }

  /** `isWhole`: nothing is still to come. */
  taken(isWhole: boolean): { readonly body: Uint8Array; readonly isCut: boolean } {
    return { body: Buffer.concat(this.#pieces), isCut: this.#isCut || !isWhole };
  }
}
