/** Of a receiver's body so much is shown, in bytes: docs/contract/webhooks.md 27. */
export const ANSWER_BYTES = 2_048;

/**
 * The headers that are shown: those that tell what kind of answer it is, who gave it, and how to find it in the receiver's own logs. A list of
 * what may be seen, since nobody knows under which names receivers send secrets.
 */
const SHOWN_HEADERS = [
  'allow',
  'cache-control',
  'cf-ray',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'retry-after',
  'server',
  'traceparent',
  'via',
  'x-amzn-requestid',
  'x-amzn-trace-id',
  'x-cache',
  'x-correlation-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
] as const;
/** Characters of one. */
const LONGEST_HEADER = 200;

/** What a receiver answered beside its status, fit to be stored and to be shown. */
export interface ShownAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** null: not kept. */
  readonly body: string | null;
  /** The body went on. */
  readonly body_cut: boolean;
}

/** An answer as it came over the connection. */
export interface AnswerAsItCame {
  /** Names in lower case; of one that came several times there is a list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its beginning. */
  readonly body: Uint8Array;
  /** More of it followed, or was not waited for. */
  readonly isCut: boolean;
}

/** Its body is left out unless `withBody`. */
export function shownAnswer({ headers, body, isCut }: AnswerAsItCame, { withBody }: { readonly withBody: boolean }): ShownAnswer {
  return { headers: shownHeaders(headers), body: withBody ? shownBody(body, isCut) : null, body_cut: withBody && isCut };
}

function shownHeaders(headers: AnswerAsItCame['headers']): Record<string, string> {
  return Object.fromEntries(
    SHOWN_HEADERS.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, visible([value].flat().join(', ')).slice(0, LONGEST_HEADER).toWellFormed()]];
    }),
  );
}

/** As UTF-8; a character that the end of what was read has cut is left out. */
function shownBody(body: Uint8Array, isCut: boolean): string {
  return visible(new TextDecoder().decode(body, { stream: isCut }));
}

/** Of no line: what moves the cursor, turns the direction of what follows, or has no shape, on a terminal or on a page. */
const CONTROLS = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const PICTURES = 0x24_00;

/** Each control character as the picture of it that Unicode has, or as U+FFFD; tabs and line ends stay. */
function visible(text: string): string {
  return text.replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    if (control === '\t' || control === '\n' || control === '\r') return control;
    if (code < 0x20) return String.fromCharCode(PICTURES + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}
