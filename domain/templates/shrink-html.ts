/**
 * What MJML writes around a mail's content, without what no client of today needs. It takes the regular HTML of MJML only: the content
 * itself is still in its slots, so nothing here reads or changes it.
 */
export function shrinkBody(html: string): string {
  const body = parse(/<body[^>]*>(.*)<\/body>/s.exec(html)![1]!);
  const article = body.find((node): node is Element => typeof node !== 'string')!;
  return simplifyAll(article.children)
    .filter((node) => !isComment(node))
    .map(write)
    .join('');
}

/** The rules for what the mail has, and those that MJML gives to columns and pictures of it. */
export function shrinkStyles(html: string): string {
  let sheet = '';
  let ofMedia = '';
  for (const [, media, rules] of html
    .replace(/<!--.*?-->/gs, '')
    .matchAll(/<style(?: type="text\/css"| (media="[^"]*"))>(.*?)<\/style>/gs)) {
    const used = shrinkCss(rules!.includes('#outlook') ? '' : rules!.replace(/^.*\.mj-column-per-100 .*$/gm, ''));
    if (!media) sheet += used;
    else if (used) ofMedia += `<style ${media}>\n${used}</style>`;
  }
  return `<style>\n${sheet}</style>${ofMedia}`;
}

function shrinkCss(css: string): string {
  return css
    .trim()
    .replace(/\s*([{}:;,>!])\s*/g, '$1')
    .replace(/\s+/g, ' ')
    .replaceAll(';}', '}')
    .replace(/@[^{}]+\{\}/g, '')
    .replace(/\}(?!\})/g, '}\n');
}

interface Element {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly style: Map<string, string>;
  readonly children: readonly Node[];
}

/** A string is text with slots, or a conditional comment. */
type Node = Element | string;

const TOKEN = /<!--.*?-->|<(?<close>\/?)(?<name>[a-z][a-z0-9]*)(?<attributes>[^>]*)>|[^<]+/gs;
const VOID = new Set(['img']);

function parse(html: string): readonly Node[] {
  const root: Node[] = [];
  const open = [root];
  for (const { 0: token, groups: { close, name, attributes = '' } = {} } of html.matchAll(TOKEN)) {
    const siblings = open.at(-1)!;
    if (close) open.pop();
    else if (!name) {
      if (token.trim()) siblings.push(token.trim());
    } else {
      const children: Node[] = [];
      const given = new Map(Array.from(attributes.matchAll(/([\w-]+)="([^"]*)"/g), ([, key, value]) => [key!, value!]));
      siblings.push({ name, attributes: given, style: parseStyle(given.get('style') ?? ''), children });
      if (!VOID.has(name)) open.push(children);
    }
  }
  return root;
}

function parseStyle(style: string): Map<string, string> {
  const declarations = style.split(';').map((declaration) => /^([\w-]+):(.*)$/s.exec(declaration.trim()));
  return new Map(declarations.flatMap((found) => (found ? [[found[1]!, found[2]!.replace(/\b0px\b/g, '0')]] : [])));
}

/** Declarations that say what holds without them, or what the page says once for all. */
const IDLE = new Set([
  'border:none',
  'border-collapse:collapse',
  'border-collapse:separate',
  'border-spacing:0',
  'cursor:auto',
  'direction:ltr',
  'font-family:inherit',
  'line-height:100%',
  'table-layout:auto',
  'text-align:left',
  'text-transform:none',
  'word-break:break-word',
]);

function simplifyAll(nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node) => (typeof node === 'string' ? [node] : simplify(node)));
}

function simplify(element: Element): readonly Node[] {
  const children = simplifyAll(element.children);
  const style = new Map([...element.style].filter(([property, value]) => !IDLE.has(`${property}:${value}`)));
  const attributes = new Map([...element.attributes].filter(([name]) => name !== 'style'));
  const simple = { name: element.name, attributes, style, children };
  switch (element.name) {
    case 'tbody':
      return children;
    case 'div':
      return simplifyDiv(simple);
    case 'table':
      return [simplifyTable(simple)];
    case 'td':
      return [simplifyCell(simple)];
    case 'a':
      // The cell of a button has its background and corners.
      for (const property of ['background', 'border-radius', 'margin']) style.delete(property);
      return [simple];
    case 'img':
      attributes.delete('height');
      return [simple];
    default:
      return [simple];
  }
}

/** One column or section takes all the width, so its table does without a div, and without the table for Outlook around that. */
function simplifyDiv(div: Element): readonly Node[] {
  const classes = div.attributes.get('class') ?? '';
  if (isColumn(div) && !classes.includes('mj-column-per-100 ')) {
    div.attributes.set('class', classes.replace(' mj-outlook-group-fix', ''));
    div.style.delete('font-size');
    return [div];
  }
  const [table] = div.children;
  if (!isElement(table, 'table')) return [div];
  if (classes && !isColumn(div)) table.attributes.set('class', classes);
  const radius = div.style.get('border-radius');
  if (radius) table.style.set('border-radius', radius);
  return div.children;
}

function isColumn(node: Node | undefined): boolean {
  return isElement(node, 'div') && /^mj-column-/.test(node.attributes.get('class') ?? '');
}

/** A table whose one cell has no padding and holds nothing but a table is that table. */
function simplifyTable(table: Element): Element {
  const { attributes, style } = table;
  if (style.get('width') === '100%') attributes.set('width', '100%');
  const isWide = attributes.get('width') === '100%';
  if (isWide) attributes.delete('align');
  attributes.delete('border');
  const background = style.get('background-color');
  if (background) attributes.set('bgcolor', background);
  for (const property of ['background', 'background-color', 'vertical-align', 'width']) style.delete(property);
  const cell = onlyChild(onlyChild(table, 'tr'), 'td');
  const inner = onlyChild(cell, 'table');
  const isShell = isWide && cell?.style.get('padding') === '0' && inner?.attributes.get('width') === '100%';
  return isShell && !attributes.has('class') ? inner : table;
}

/** Columns beside each other keep their comments, which hold a table for Outlook. The style of a block goes from its div to its cell. */
function simplifyCell(cell: Element): Element {
  const { attributes, style } = cell;
  const isRow = cell.children.some(isColumn);
  const children = isRow ? cell.children.map(shrinkComment) : cell.children.filter((node) => !isComment(node));
  if (attributes.has('bgcolor')) style.delete('background');
  else style.delete('border-radius');
  if (attributes.get('align') === 'left') attributes.delete('align');
  for (const name of ['role', 'valign']) attributes.delete(name);
  const block = isRow ? undefined : onlyChild({ ...cell, children }, 'div');
  // A font size of 0 stays where it keeps columns together, and a spacer lower than a line.
  if (!isRow && !block && style.get('font-size') === '0') style.delete('font-size');
  for (const [property, value] of block?.style ?? []) style.set(property, value);
  style.delete('text-align');
  return { ...cell, children: block?.children ?? children };
}

function onlyChild(element: Element | undefined, name: string): Element | undefined {
  const [child, ...others] = element?.children ?? [];
  return others.length === 0 && isElement(child, name) ? child : undefined;
}

function isElement(node: Node | undefined, name: string): node is Element {
  return typeof node === 'object' && node.name === name;
}

function isComment(node: Node): node is string {
  return typeof node === 'string' && node.startsWith('<!--');
}

function shrinkComment(node: Node): Node {
  if (!isComment(node)) return node;
  return node
    .replace('[if mso | IE]', '[if mso]')
    .replace(/ (?:class=""|border="0")/g, '')
    .replace(/;?"\s*>/g, '">');
}

function write(node: Node): string {
  if (typeof node === 'string') return node;
  const style = Array.from(node.style, ([property, value]) => `${property}:${value}`).join(';');
  const attributes = Array.from(style ? node.attributes.set('style', style) : node.attributes, ([name, value]) => ` ${name}="${value}"`);
  const start = `<${node.name}${attributes.join('')}>`;
  if (VOID.has(node.name)) return start;
  // A line for each row: a line may be 998 octets long, and content of several lines of ASCII needs no quoted-printable.
  return `${start}${node.children.map(write).join('')}</${node.name}>${node.name === 'tr' ? '\n' : ''}`;
}
