/** What is no base64 as RFC 4648 4 has it: other characters, line breaks, missing padding, bits that say nothing. */
export class NotBase64 extends Error {
  override readonly name = 'NotBase64';

  /** `near`: the characters among which the fault is. */
  constructor(near: string) {
    super(`not base64${whyNot(near)}`);
  }
}

function whyNot(near: string): string {
  if (/\s|\\[nrt]/.test(near)) return ': line breaks and spaces are to be left out';
  if (/[:;,]/.test(near)) return ': only what follows the comma of a data: URL';
  if (/[-_]/.test(near)) return ': + and / in place of the - and _ of base64url';
  if (near.startsWith('=')) return ': padding stands at the end alone';
  if (near.length % 4 !== 0) return ': padding with = is missing';
  return '';
}

/** The end of a text that may go on as an escape of JSON. */
const CUT_ESCAPE = /\\(?:u[0-9A-Fa-f]{0,3})?$/;
const LAST = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

/** Reads base64 that comes piece by piece, and is strict about it. */
export class Base64Reader {
  /** Not decoded yet: the last four characters may have padding. */
  #rest = '';

  /** Characters of a JSON string, as they stand in it: some programs write `/` and `+` as escapes. Throws NotBase64. */
  pushJson(text: string): Buffer {
    const whole = this.#rest + text;
    if (!whole.includes('\\')) return this.#push(whole, '');
    const cut = CUT_ESCAPE.exec(whole)?.[0] ?? '';
    return this.#push(unescaped(whole.slice(0, whole.length - cut.length)), cut);
  }

  push(text: string): Buffer {
    return this.#push(this.#rest + text, '');
  }

  /** The last octets. Throws NotBase64. */
  end(): Buffer {
    const last = this.#rest;
    if (last === '') return Buffer.alloc(0);
    const octets = Buffer.from(last, 'base64');
    if (!LAST.test(last) || octets.toString('base64') !== last) throw new NotBase64(last);
    return octets;
  }

  #push(whole: string, cut: string): Buffer {
    const end = Math.max(0, Math.ceil(whole.length / 4) - 1) * 4;
    const text = whole.slice(0, end);
    this.#rest = whole.slice(end) + cut;
    const other = text.search(/[^A-Za-z0-9+/]/);
    if (other >= 0) throw new NotBase64(text.slice(other, other + 4));
    return Buffer.from(text, 'base64');
  }
}

/** Throws NotBase64. */
export function readBase64(text: string): Buffer {
  const reader = new Base64Reader();
  const octets = reader.push(text);
  return Buffer.concat([octets, reader.end()]);
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u00([0-7][0-9A-Fa-f])|(.))/gs, (_, code: string | undefined, character: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (character !== '/') throw new NotBase64(`\\${character}`);
    return character;
  });
}
