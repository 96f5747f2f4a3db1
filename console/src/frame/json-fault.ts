const TOKEN =
  /([{}[\],:])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const SPACE = /[ \t\r\n]*/y;

/** What may come next, as it is asked for. */
const WANTED = {
  value: 'a value is missing',
  'value or ]': 'a value or ] is missing',
  name: 'a name in double quotes is missing',
  'name or }': 'a name in double quotes or } is missing',
  ':': 'a colon is missing',
  ', or }': 'a comma or } is missing',
  ', or ]': 'a comma or ] is missing',
  end: 'the text goes on after its end',
} as const;
type Wanted = keyof typeof WANTED;

/**
 * Where a text stops being JSON and what is missing there, like `Line 3, column 14: a comma or } is missing`; undefined: it is JSON. The messages
 * of JSON.parse name the place in some browsers and for some faults only.
 */
export function jsonFault(text: string): string | undefined {
  const open: ('{' | '[')[] = [];
  const afterValue = (): Wanted => (open.length === 0 ? 'end' : open.at(-1) === '{' ? ', or }' : ', or ]');
  let wanted: Wanted = 'value';
  for (let at = skipSpace(text, 0); ; at = skipSpace(text, at)) {
    if (at === text.length && wanted === 'end') return undefined;
    TOKEN.lastIndex = at;
    const [token, sign, name] = TOKEN.exec(text) ?? [];
    const next: Wanted | undefined = token === undefined ? undefined : nextWanted(wanted, sign, name !== undefined, open, afterValue);
    if (next === undefined) {
      const isOpenText = token === undefined && text[at] === '"';
      return `${placeIn(text, at)}: ${isOpenText ? 'the text in quotes does not end, or has a line break or backslash in it' : WANTED[wanted]}`;
    }
    wanted = next;
    at = TOKEN.lastIndex;
  }
}

/** undefined: such a token may not stand here. Keeps `open`, the brackets that are still to be closed. */
function nextWanted(
  wanted: Wanted,
  sign: string | undefined,
  isText: boolean,
  open: ('{' | '[')[],
  afterValue: () => Wanted,
): Wanted | undefined {
  const mayClose = wanted.endsWith(sign ?? ' ') && (sign === '}' || sign === ']');
  if (mayClose) {
    open.pop();
    return afterValue();
  }
  if (wanted === ':') return sign === ':' ? 'value' : undefined;
  if (wanted === ', or }') return sign === ',' ? 'name' : undefined;
  if (wanted === ', or ]') return sign === ',' ? 'value' : undefined;
  if (wanted === 'name' || wanted === 'name or }') return isText ? ':' : undefined;
  if (wanted === 'end') return undefined;
  if (sign === undefined) return afterValue();
  if (sign !== '{' && sign !== '[') return undefined;
  open.push(sign);
  return sign === '{' ? 'name or }' : 'value or ]';
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  return from + (SPACE.exec(text)?.[0].length ?? 0);
}

function placeIn(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n');
  return `Line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
