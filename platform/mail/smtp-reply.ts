/** One answer of a mail server. */
export interface SmtpReply {
  /** 200 to 599; 0: what came is no answer in the sense of RFC 5321 4.2, and nothing after it can be believed. */
  readonly code: number;
  /** Every line of it as it came. */
  readonly text: string;
}

/** Far above the answer of any server; one that never ends is not kept in memory. */
const MAX_REPLY = 64 * 1024;
const ZERO = 48;
const HYPHEN = 45;

/** Finds the replies in what a server writes, however that is cut into packets. */
export class ReplyReader {
  #buffer = '';
  /** Where the next reply begins. */
  #start = 0;
  /** Where its first line begins that was not looked at. */
  #line = 0;

  /** Takes the next octets, as latin1. */
  push(octets: string): void {
    this.#buffer = this.#start === this.#buffer.length ? octets : this.#buffer.slice(this.#start) + octets;
    this.#line -= this.#start;
    this.#start = 0;
  }

  /** The next reply that is complete; undefined when none is. */
  next(): SmtpReply | undefined {
    for (;;) {
      const end = this.#buffer.indexOf('\n', this.#line);
      if (end < 0) return this.#buffer.length - this.#start > MAX_REPLY ? this.#take(0, this.#buffer.length) : undefined;
      const code = codeAt(this.#buffer, this.#line);
      if (code === 0) {
        const isBlank = this.#line === this.#start && this.#buffer.slice(this.#line, end).trim() === '';
        if (!isBlank) return this.#take(0, end + 1);
        // Between replies an empty line says nothing.
        this.#start = end + 1;
      } else if (this.#buffer.charCodeAt(this.#line + 3) !== HYPHEN) return this.#take(code, end + 1);
      this.#line = end + 1;
    }
  }

  /** Whether nothing came that was not taken as a reply yet. */
  get isEmpty(): boolean {
    return this.#start === this.#buffer.length || this.#buffer.slice(this.#start).trim() === '';
  }

  #take(code: number, end: number): SmtpReply {
    const text = this.#buffer.slice(this.#start, end);
    this.#start = end;
    this.#line = end;
    return { code, text };
  }
}

/** A reply in a public message: one line, not too long. */
export function replyText({ text }: SmtpReply): string {
  const octets = Buffer.from(text, 'latin1');
  const utf8 = octets.toString('utf8');
  return (utf8.includes('\ufffd') ? text : utf8).replace(/\s+/g, ' ').trim().slice(0, 300);
}

/** The code of a line, which a space, a hyphen or nothing follows (RFC 5321 4.2); a text without the space is let pass. */
function codeAt(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at) - ZERO, text.charCodeAt(at + 1) - ZERO, text.charCodeAt(at + 2) - ZERO];
  if (!(first >= 2 && first <= 5 && isDigit(second) && isDigit(third)) || isDigit(text.charCodeAt(at + 3) - ZERO)) return 0;
  return first * 100 + second * 10 + third;
}

function isDigit(value: number): boolean {
  return value >= 0 && value <= 9;
}
