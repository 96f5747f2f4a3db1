/** Where a block is in a mail that is shown, in the mail's own pixels. */
export interface BlockPlace {
  /** In the content, as the API names places: `content.blocks[2]`. */
  readonly path: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const COMMENTS = 128;

/** The blocks of a preview with marks that are to be seen, those in columns after the columns. */
export function blockPlaces(mail: Document): BlockPlace[] {
  const found: (BlockPlace | undefined)[] = [];
  const open: { readonly path: string; readonly begin: Node; readonly index: number }[] = [];
  const comments = mail.createTreeWalker(mail, COMMENTS);
  for (let node = comments.nextNode(); node; node = comments.nextNode()) {
    const [, path] = /^block (.+)$/.exec(node.nodeValue ?? '') ?? [];
    if (path) open.push({ path, begin: node, index: found.push(undefined) - 1 });
    if (node.nodeValue !== '/block') continue;
    const begun = open.pop();
    if (begun) found[begun.index] = placeBetween(begun.path, begun.begin, node);
  }
  return found.filter((place) => place !== undefined);
}

function placeBetween(path: string, begin: Node, end: Node): BlockPlace | undefined {
  const range = (begin.ownerDocument as Document).createRange();
  range.setStartAfter(begin);
  range.setEndBefore(end);
  const { left, top, width, height } = range.getBoundingClientRect();
  return width > 0 && height > 0 ? { path, left, top, width, height } : undefined;
}
