/** Measured: fixed text is held as text and encoded, and each character of Liquid makes up to this much of tokens and closures. */
const BYTES_PER_CHARACTER = 4;
const BYTES_PER_LIQUID_CHARACTER = 400;

/** An upper bound of what a parsed source keeps. */
export function heldBy(source: string): number {
  return 1000 + source.length * BYTES_PER_CHARACTER + liquidCharacters(source) * BYTES_PER_LIQUID_CHARACTER;
}

/** How much of a source stands within tags and outputs, their braces included. */
export function liquidCharacters(source: string): number {
  let count = 0;
  for (let at = source.indexOf('{'); at >= 0; ) {
    const kind = source[at + 1];
    const end = kind === '{' ? endOfOutput(source, at + 2) : kind === '%' ? endOf(source, '%}', at + 2) : at + 1;
    if (end > at + 1) count += end - at;
    at = source.indexOf('{', end);
  }
  return count;
}

function endOf(source: string, delimiter: string, from: number): number {
  const at = source.indexOf(delimiter, from);
  return at < 0 ? source.length : at + delimiter.length;
}

/** In an output, unlike in a tag, braces in a text do not count. */
function endOfOutput(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    const char = source[at];
    if (char === '}' && source[at + 1] === '}') return at + 2;
    if (char !== '"' && char !== "'") continue;
    for (at++; at < source.length && source[at] !== char; at++) if (source[at] === '\\') at++;
  }
  return source.length;
}
