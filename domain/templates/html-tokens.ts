/** A part of a page as it is written. `hidden`: a comment or a declaration. `unfinished`: what never ends, so that all that follows is part of it. */
export type HtmlToken =
  | { readonly kind: 'text' | 'hidden' | 'unfinished'; readonly source: string }
  | { readonly kind: 'open' | 'close'; readonly source: string; readonly name: string };

const NAME = /<(\/?)([a-z][^\s/>"']*)/iy;
const REST_OF_TAG = /[^"'>]*(?:(?:"[^"]*"|'[^']*')[^"'>]*)*>/y;
/** What they hold is text, whatever it looks like. */
const RAW_TEXT = ['style', 'script', 'title', 'textarea', 'xmp', 'iframe'];

/** Cuts a page as browsers do, in time that grows with its length alone. The sources of all tokens are the page. */
export function* htmlTokens(page: string): Generator<HtmlToken> {
  let at = 0;
  for (let next = page.indexOf('<'); next >= 0; next = page.indexOf('<', Math.max(next + 1, at))) {
    const token = tokenAt(page, next);
    if (!token) continue;
    if (next > at) yield { kind: 'text', source: page.slice(at, next) };
    yield token;
    at = next + token.source.length;
    if (token.kind !== 'open' || !RAW_TEXT.includes(token.name)) continue;
    const end = endOfRawText(page, at, token.name);
    if (end === undefined) yield { kind: 'unfinished', source: page.slice(at) };
    else if (end > at) yield { kind: 'text', source: page.slice(at, end) };
    at = end ?? page.length;
  }
  if (at < page.length) yield { kind: 'text', source: page.slice(at) };
}

/** undefined: a `<` that is only a character. */
function tokenAt(page: string, at: number): HtmlToken | undefined {
  if (page[at + 1] === '!' || page[at + 1] === '?') {
    const [delimiter, from] = page.startsWith('<!--', at) ? ['-->', at + 2] : ['>', at];
    const end = page.indexOf(delimiter, from);
    return end < 0 ? unfinished(page, at) : { kind: 'hidden', source: page.slice(at, end + delimiter.length) };
  }
  NAME.lastIndex = at;
  const [begin, slash, name] = NAME.exec(page) ?? [];
  if (begin === undefined || name === undefined) return undefined;
  REST_OF_TAG.lastIndex = at + begin.length;
  if (!REST_OF_TAG.test(page)) return unfinished(page, at);
  return { kind: slash ? 'close' : 'open', source: page.slice(at, REST_OF_TAG.lastIndex), name: name.toLowerCase() };
}

function unfinished(page: string, at: number): HtmlToken {
  return { kind: 'unfinished', source: page.slice(at) };
}

function endOfRawText(page: string, from: number, name: string): number | undefined {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = from;
  return close.exec(page)?.index;
}

/** Marks of Liquid between attributes are no part of their names. */
const ATTRIBUTE = /([^\s"'>/=\p{Cc}]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/gu;

/** Where the value of an attribute stands in the source of a tag, without its quotes; undefined when the tag has none. */
export function attributeIn(tag: string, wanted: string): { readonly start: number; readonly end: number } | undefined {
  ATTRIBUTE.lastIndex = 1 + (/^[^\s/>"']*/.exec(tag.slice(1))?.[0].length ?? 0);
  for (let found = ATTRIBUTE.exec(tag); found; found = ATTRIBUTE.exec(tag)) {
    const [{ length }, name = '', value] = found;
    if (name.toLowerCase() !== wanted || value === undefined) continue;
    const end = found.index + length;
    return /^["']/.test(value) ? { start: end - value.length + 1, end: end - 1 } : { start: end - value.length, end };
  }
  return undefined;
}

/** The value itself, as it is written. */
export function attributeOf(tag: string, wanted: string): string | undefined {
  const found = attributeIn(tag, wanted);
  return found && tag.slice(found.start, found.end);
}
