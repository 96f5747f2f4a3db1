/** What a part says of its bytes, and they do not keep to. */
export class NotAsEncoded extends Error {
  override readonly name = 'NotAsEncoded';
}

/** The bytes of a part by its Content-Transfer-Encoding (RFC 2045 6), piece by piece. Throws NotAsEncoded. */
export function decoded(pieces: Iterable<Buffer>, encoding: string): Iterable<Buffer> {
  if (encoding === 'base64') return fromBase64(pieces);
  if (encoding === 'quoted-printable') return fromQuotedPrintable(pieces);
  return pieces;
}

/** Characters of base64 for three bytes. */
const UNIT = 4;

/**
 * Units may be padded anywhere, as some programs do at the end of each line. Other characters are a sign of damage, and so is an end without its padding,
 * for which RFC 2045 6.8 allows to reject a message: whoever submits one can mend it, and its recipients cannot.
 */
function* fromBase64(pieces: Iterable<Buffer>): Generator<Buffer> {
  let rest = '';
  for (const piece of pieces) {
    const text = rest + piece.toString('latin1').replace(/[\t\n\r ]+/g, '');
    if (/[^A-Za-z0-9+/=]/.test(text)) throw new NotAsEncoded('a part says that it is base64 and has other characters');
    const runs = text.match(/[^=]+=*/g) ?? [];
    const last = runs.pop() ?? '';
    const open = unpaddedLength(last);
    const whole = open - (open % UNIT);
    // Padding beyond that of a unit says nothing.
    rest = last.slice(whole, whole + UNIT);
    yield bytesOf([...runs, last.slice(0, whole)]);
  }
  yield bytesOf([rest]);
}

/** Of runs of units, each with the padding behind it. */
function bytesOf(runs: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(runs.reduce((size, run) => size + run.length, 0));
  let size = 0;
  for (const run of runs) {
    const length = unpaddedLength(run);
    if (length % UNIT === 1 || run.length < UNIT * Math.ceil(length / UNIT)) {
      throw new NotAsEncoded('a part says that it is base64 and lacks characters, or the padding (=) at its end');
    }
    size += bytes.write(run, size, 'base64');
  }
  return bytes.subarray(0, size);
}

function unpaddedLength(run: string): number {
  const padding = run.indexOf('=');
  return padding < 0 ? run.length : padding;
}

/** Longer lines are not waited for: an escape has three characters. */
const MAX_LINE_LENGTH = 64 * 1024;

function* fromQuotedPrintable(pieces: Iterable<Buffer>): Generator<Buffer> {
  let rest = '';
  for (const piece of pieces) {
    const text = rest + piece.toString('latin1');
    const lines = text.lastIndexOf('\n') + 1;
    const end = text.length - lines > MAX_LINE_LENGTH ? lastWhole(text) : lines;
    rest = text.slice(end);
    yield unescaped(text.slice(0, end));
  }
  // The line end behind a last `=` is that of the delimiter.
  yield unescaped(rest.replace(/=[ \t]*$/, ''));
}

function lastWhole(text: string): number {
  const cut = text.indexOf('=', text.length - 2);
  return cut < 0 ? text.length : cut;
}

/** What is no escape stands for itself. */
function unescaped(text: string): Buffer {
  const bytes = text.replace(/=(?:([0-9A-Fa-f]{2})|[ \t]*\r?\n)/g, (_, code: string | undefined) =>
    code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}
