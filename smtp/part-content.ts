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

/**
 * Units may be padded anywhere, as some programs do at the end of each line. Other characters are a sign of damage, for which RFC 2045 6.8 allows to
 * reject a message: whoever submits one can mend it, and its recipients cannot.
 */
function* fromBase64(pieces: Iterable<Buffer>): Generator<Buffer> {
  let rest = '';
  for (const piece of pieces) {
    const text = rest + piece.toString('latin1').replace(/[\t\n\r ]+/g, '');
    if (/[^A-Za-z0-9+/=]/.test(text)) throw new NotAsEncoded('a part says that it is base64 and has other characters');
    const units = text.split(/=+/);
    const open = units.pop() ?? '';
    const whole = open.length - (open.length % 4);
    rest = open.slice(whole);
    yield Buffer.concat([...units.map(unit), Buffer.from(open.slice(0, whole), 'base64')]);
  }
  yield unit(rest);
}

function unit(text: string): Buffer {
  if (text.length % 4 === 1) throw new NotAsEncoded('a part says that it is base64 and lacks characters');
  return Buffer.from(text, 'base64');
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
