import type { FixedText, MailEmitter } from '../../domain/templates/fixed-text.ts';
import type { MailContext } from '../../domain/templates/mail-context.ts';
import { collapseBlankLines } from '../../domain/templates/render.ts';
import { textOf } from '../../domain/templates/value-text.ts';
import { type EncodedBlock, encodeBlock, type QuotedPrintableWriter } from '../../platform/mail/quoted-printable.ts';

/** Writes a part as its template is run, in quoted-printable. What is fixed is encoded once, when the first mail shows it. */
abstract class PartEmitter implements MailEmitter {
  readonly buffer = '';
  protected readonly writer: QuotedPrintableWriter;
  readonly #context: MailContext;

  constructor(context: MailContext, writer: QuotedPrintableWriter) {
    this.#context = context;
    this.writer = writer;
  }

  write(value: unknown): void {
    const text = textOf(value);
    this.#context.spend(text.length);
    this.add(text);
  }

  writeFixed(fixed: FixedText): void {
    this.#context.spend(fixed.text.length);
    this.addFixed(fixed);
  }

  /** Ends the part; nothing can be written any more. */
  abstract finish(): void;

  protected abstract add(text: string): void;
  protected abstract addFixed(fixed: FixedText): void;

  protected put(text: string, block: EncodedBlock | null | undefined): void {
    if (block) this.writer.writeBlock(block, text);
    else this.writer.write(text);
  }
}

/** The HTML part. */
export class HtmlPartEmitter extends PartEmitter {
  finish(): void {
    this.writer.finish();
  }

  protected add(text: string): void {
    this.writer.write(text);
  }

  protected addFixed(fixed: FixedText): void {
    if (fixed.prepared === undefined) fixed.prepared = encodeBlock(fixed.text) ?? null;
    this.put(fixed.text, fixed.prepared as EncodedBlock | null);
  }
}

/** Fixed text of the text part. */
interface FixedLines {
  /** White space that may belong to a run of blank lines which began before. */
  readonly lead: string;
  readonly core: string;
  readonly coreBlock: EncodedBlock | undefined;
  /** Lead and core as they are after ink. */
  readonly whole: string;
  readonly wholeBlock: EncodedBlock | undefined;
  /** Line breaks that may go on in what comes after. */
  readonly tail: string;
  readonly beginsWithInk: boolean;
}

/** The text part, whose runs of blank lines are collapsed, whatever they come from: what `collapseBlankLines` does to it whole. */
export class TextPartEmitter extends PartEmitter {
  #isBegun = false;
  /** A line break and the white space after it: how it is written depends on what comes next. */
  #pending = '';

  finish(): void {
    this.#flush('');
    this.writer.finish();
  }

  protected add(added: string): void {
    const text = this.#isBegun ? added : added.trimStart();
    if (text === '') return;
    this.#isBegun = true;
    const ink = this.#pending === '' ? 0 : whiteSpaceEnd(text);
    if (ink === text.length) {
      this.#pending += text;
      return;
    }
    this.#flush(text.slice(0, ink));
    const tail = tailStart(text);
    this.writer.write(collapseBlankLines(text.slice(ink, tail)));
    this.#pending = text.slice(tail);
  }

  protected addFixed(fixed: FixedText): void {
    if (fixed.prepared === undefined) fixed.prepared = fixedLines(fixed.text);
    const lines = fixed.prepared as FixedLines | null;
    if (!lines || !(this.#isBegun || lines.beginsWithInk)) {
      this.add(fixed.text);
      return;
    }
    this.#isBegun = true;
    if (this.#pending === '') this.put(lines.whole, lines.wholeBlock);
    else {
      this.#flush(lines.lead);
      this.put(lines.core, lines.coreBlock);
    }
    this.#pending = lines.tail;
  }

  #flush(more: string): void {
    if (this.#pending !== '') this.writer.write(collapseBlankLines(this.#pending + more));
    this.#pending = '';
  }
}

function fixedLines(text: string): FixedLines | null {
  const ink = whiteSpaceEnd(text);
  if (ink === text.length) return null;
  const tail = tailStart(text);
  const lead = text.slice(0, ink);
  const core = collapseBlankLines(text.slice(ink, tail));
  const whole = collapseBlankLines(text.slice(0, tail));
  return {
    lead,
    core,
    coreBlock: encodeBlock(core),
    whole,
    wholeBlock: whole === core ? encodeBlock(core) : encodeBlock(whole),
    tail: text.slice(tail),
    beginsWithInk: text.trimStart() === text,
  };
}

/** Where the white space ends that a run of blank lines may hold. */
function whiteSpaceEnd(text: string): number {
  let at = 0;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== 10 && unit !== 32 && unit !== 9) break;
  }
  return at;
}

/** Where the first line break of the white space at the end is; the length when there is none. */
function tailStart(text: string): number {
  let start = text.length;
  for (let at = text.length - 1; at >= 0; at--) {
    const unit = text.charCodeAt(at);
    if (unit === 10) start = at;
    else if (unit !== 32 && unit !== 9) break;
  }
  return start;
}
