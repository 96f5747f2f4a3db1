import { fixedText } from './pieces.ts';

/** A text part that is written from the pieces of a page, as Liquid source: white space is what a browser makes of it. */
export class Letter {
  readonly #parts: string[] = [];
  /** Line breaks that come before the next ink. */
  #breaks = 0;
  #hasSpace = false;
  #isLineStart = true;

  /** So many line breaks, of which those that follow each other are one. */
  break(lines: number): void {
    this.#breaks = Math.max(this.#breaks, lines);
    this.#hasSpace = false;
  }

  /** Text of the page, in which runs of white space are one space. */
  text(written: string): void {
    const text = written.replace(/[ \t\n\r\f\u00a0]+/g, ' ');
    const ink = text.trim();
    if (text.startsWith(' ')) this.space();
    if (ink === '') return;
    this.ink(fixedText(ink));
    if (text.endsWith(' ')) this.space();
  }

  space(): void {
    this.#hasSpace = true;
  }

  /** Takes a space back that nothing follows yet; whether there was one. */
  takeSpace(): boolean {
    const had = this.#hasSpace;
    this.#hasSpace = false;
    return had;
  }

  /** Source that shows something, as it is. */
  ink(source: string): void {
    this.#flush();
    this.#parts.push(source);
    this.#isLineStart = false;
  }

  /** A tag of Liquid: what stands before it in the page stays before it, so that it holds what it held. */
  tag(source: string): void {
    this.#flush();
    this.#parts.push(source);
  }

  /** A place to ask `since` about. */
  get place(): number {
    return this.#parts.length;
  }

  /** What was written since then. */
  since(place: number): string {
    return this.#parts.slice(place).join('').trim();
  }

  toString(): string {
    return this.#parts.join('');
  }

  #flush(): void {
    if (this.#breaks > 0) {
      this.#parts.push('\n'.repeat(this.#breaks));
      this.#isLineStart = true;
    } else if (this.#hasSpace && !this.#isLineStart) this.#parts.push(' ');
    this.#breaks = 0;
    this.#hasSpace = false;
  }
}
