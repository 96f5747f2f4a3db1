import { buttonColors, colorsOf } from './block-colors.ts';
import type { SimpleBlock } from './content.ts';
import { attribute, inline, link, mayBeNone, paragraphs, picture } from './content-html.ts';
import { parseMarkdown } from './markdown.ts';
import type { Slots } from './slots.ts';
import { THEME } from './theme.ts';

/** MJML that is there when the path has a value; always, when there is none. */
export function shownIf(path: string | null | undefined, mjml: string, slots: Slots): string {
  return path ? enclosed(`shown ${path}`, mjml, slots) : mjml;
}

/** MJML within a tag of Liquid. `begin`: what the tag begins with. */
export function enclosed(tag: string, mjml: string, slots: Slots, begin = ''): string {
  const [name] = tag.split(' ', 1);
  return `<mj-raw>${slots.hold(`{% ${tag} %}${begin}`)}</mj-raw>${mjml}<mj-raw>${slots.hold(`{% end${name} %}`)}</mj-raw>`;
}

/** MJML for an address, or what stands in its place when its Liquid comes out as none. */
function ifLinked(url: string, mjml: string, slots: Slots, otherwise = ''): string {
  if (!mayBeNone(url)) return mjml;
  return enclosed('linked', otherwise ? `${mjml}<mj-raw>${slots.hold('{% unlinked %}')}</mj-raw>${otherwise}` : mjml, slots, url);
}

const HEADING_SIZES = { 1: [26, 14], 2: [20, 10], 3: [16, 6] } as const;
/** Pixels above and below what is no text on the mail's own background. */
const APART = { above: 4, below: 20 } as const;
const INSIDE = { size: 16, lineHeight: 1.55 } as const;

/** Whether a text has a cell of its own, and does not share that of the texts above it. */
export function standsAlone({ showIf: _, type: __, text: ___, ...style }: SimpleBlock & { type: 'text' }): boolean {
  return Object.values(style).some((value) => value !== undefined && value !== null);
}

interface Spaced {
  readonly spaceAbove?: number | null | undefined;
  readonly spaceBelow?: number | null | undefined;
}

/** The distances around a block, as CSS has them: those that it asks for, else those of its kind, in pixels. */
function paddingOf({ spaceAbove, spaceBelow }: Spaced, above: number, below: number): string {
  return `${spaceAbove ?? above}px ${THEME.side}px ${spaceBelow ?? below}px`;
}

/** Columns, which have no distances of their own. */
export function columnsMjml({ spaceAbove, spaceBelow }: Spaced, columns: readonly string[]): string {
  const padding = spaceAbove || spaceBelow ? ` padding="${spaceAbove ?? 0}px 0 ${spaceBelow ?? 0}px"` : '';
  return `<mj-section${padding}>${columns.join('')}</mj-section>`;
}

function alignOf({ align }: { readonly align?: string | null | undefined }): string {
  return align ? ` align="${align}"` : '';
}

interface TextStyle {
  /** Pixels that its kind has. */
  readonly above: number;
  readonly below: number;
  /** Classes beside that of its color. */
  readonly classes?: string;
}

/** A text with its colors: those of the mail, which follow its scheme, or those that it asks for. One with a background is a card within its cell. */
function text(
  block: SimpleBlock & { type: 'heading' | 'text' | 'list' | 'quote' },
  html: string,
  slots: Slots,
  { above, below, classes = '' }: TextStyle,
): string {
  const colors = colorsOf(block);
  const align = block.type === 'list' ? '' : alignOf(block);
  const tone = colors?.dark ? colors.dark.name : '';
  if (!colors?.background) {
    const color = colors ? ` color="${slots.hold(colors.color)}"` : '';
    const names = `${colors ? tone : 'ink'} ${classes}`.trim();
    return `<mj-text css-class="${names}"${align}${color} padding="${paddingOf(block, above, below)}">${slots.hold(html)}</mj-text>`;
  }
  const { color, background } = colors;
  const style = `padding:16px 20px;border-radius:8px;background:${background};color:${color};font-size:${INSIDE.size}px;line-height:${INSIDE.lineHeight}${align && `;text-align:${(block as { align: string }).align}`}`;
  const card = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td${tone && ` class="${tone}"`} bgcolor="${background}" style="${style}">${html}</td></tr>\n</table>`;
  return `<mj-text${classes && ` css-class="${classes}"`} padding="${paddingOf(block, APART.above, APART.below)}">${slots.hold(card)}</mj-text>`;
}

/** The paragraphs of a text in a cell of its own. */
function textMjml(block: SimpleBlock & { type: 'text' }, slots: Slots): string {
  // On another background, and beside another color, that of links would not be read.
  const linkColor = colorsOf(block) ? { linkColor: 'inherit' } : {};
  return text(block, paragraphs(parseMarkdown(block.text), linkColor), slots, { above: 0, below: 16 });
}

/** A block that holds no others. */
export function blockMjml(block: SimpleBlock, slots: Slots): string {
  switch (block.type) {
    case 'heading':
      return headingMjml(block, slots);
    case 'text':
      return textMjml(block, slots);
    case 'button':
      return buttonMjml(block, slots);
    case 'image':
      return imageMjml(block, slots);
    case 'divider':
      return `<mj-raw><tr><td class="line" style="padding:${paddingOf(block, 8, 24)}"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td style="border-top:1px solid ${THEME.line};font-size:1px;line-height:0">&#8202;</td></tr></table></td></tr></mj-raw>`;
    case 'spacer':
      return `<mj-spacer height="${block.height}px" />`;
    case 'list': {
      const tag = block.ordered ? 'ol' : 'ul';
      const items = block.items.map((item) => `<li style="margin:0 0 8px;padding-left:4px;">${inline(item)}</li>`).join('');
      return text(block, `<${tag} style="margin:0;padding-left:24px;">${items}</${tag}>`, slots, { above: 0, below: 8 });
    }
    case 'table': {
      const cells = `<mj-table css-class="ink line cells${block.columns.length > MANY_COLUMNS ? ' many' : ''}" color="${THEME.ink}" font-size="15px" line-height="1.45" padding="${paddingOf(block, 0, 20)}">${slots.hold(table(block))}</mj-table>`;
      return shownIf(block.rows, cells, slots);
    }
    case 'quote':
      return quoteMjml(block, slots);
    case 'code': {
      const code = `<span style="display:inline-block;padding:14px 18px 14px 22px;border-radius:8px;background:${THEME.tint};font-family:${THEME.monoFamily};font-size:26px;line-height:1.3;font-weight:700;letter-spacing:4px;word-break:break-all;">${inline(block.text)}</span>`;
      return `<mj-text css-class="ink code"${alignOf(block)} padding="${paddingOf(block, APART.above, APART.below)}">${slots.hold(code)}</mj-text>`;
    }
    default:
      return block satisfies never;
  }
}

function headingMjml(block: SimpleBlock & { type: 'heading' }, slots: Slots): string {
  const level = (block.level ?? 1) as keyof typeof HEADING_SIZES;
  const [size, below] = HEADING_SIZES[level];
  const html = `<h${level} style="margin:0;font-size:${size}px;line-height:1.3;font-weight:700;">${inline(block.text)}</h${level}>`;
  return text(block, html, slots, { above: 4, below });
}

function buttonMjml(block: SimpleBlock & { type: 'button' }, slots: Slots): string {
  const url = link(block.url);
  const { color, background } = buttonColors(block);
  const button = `<mj-button href="${slots.hold(url)}" background-color="${slots.hold(background)}" color="${slots.hold(color)}" align="${block.align ?? 'left'}" font-size="16px" font-weight="600" line-height="1.25" border-radius="8px" inner-padding="13px 24px" padding="${paddingOf(block, APART.above, APART.below)}">${slots.hold(inline(block.label))}</mj-button>`;
  return ifLinked(url, button, slots);
}

function imageMjml(block: SimpleBlock & { type: 'image' }, slots: Slots): string {
  const src = picture(block.src);
  const href = block.href ? link(block.href) : '';
  const image = (leadsTo: string): string =>
    `<mj-image css-class="ink"${alignOf(block)} src="${slots.hold(src)}" alt="${slots.hold(attribute(block.alt))}" ${leadsTo && `href="${slots.hold(leadsTo)}"`} ${block.width ? `width="${block.width}px"` : 'fluid-on-mobile="true"'} border-radius="6px" font-size="14px" padding="${paddingOf(block, APART.above, APART.below)}" />`;
  return ifLinked(src, ifLinked(href, image(href), slots, image('')), slots);
}

function quoteMjml(block: SimpleBlock & { type: 'quote' }, slots: Slots): string {
  const [ofAuthor, color] = colorsOf(block) ? ['', 'inherit'] : [' class="muted"', THEME.muted];
  const author = block.author
    ? `<div${ofAuthor} style="margin-top:8px;font-style:normal;font-size:14px;color:${color};">&mdash; ${inline(block.author)}</div>`
    : '';
  const quote = `<blockquote style="margin:0;padding:2px 0 2px 18px;border-left:3px solid ${THEME.line};font-style:italic;">${inline(block.text)}${author}</blockquote>`;
  return text(block, quote, slots, { ...APART, classes: 'line' });
}

/** With more than these, the columns of a table have no least width on a phone, so that its screen holds all of them. */
export const MANY_COLUMNS = 3;

/** The last of several columns is most often a price, so it stands at the right edge. */
function table({ rows, columns }: SimpleBlock & { type: 'table' }): string {
  const align = (index: number): string => (index > 0 && index === columns.length - 1 ? 'right' : 'left');
  const edge = (index: number): string =>
    `padding:10px ${index === columns.length - 1 ? '0' : '12px'} 10px 0;border-bottom:1px solid ${THEME.line};text-align:${align(index)}`;
  const row = (cells: readonly string[]): string =>
    `<tr valign="top" style="word-break:normal;overflow-wrap:break-word">${cells.join('')}</tr>\n`;
  const head = columns.map(
    ({ header }, index) =>
      `<th class="muted" style="${edge(index)};font-size:13px;font-weight:600;color:${THEME.muted}">${inline(header)}</th>`,
  );
  const cells = columns.map(({ value }, index) => `<td style="${edge(index)}">${inline(value)}</td>`);
  const headRow = columns.some(({ header }) => header) ? row(head) : '';
  return `${headRow}{% for row in ${rows} %}${row(cells)}{% endfor %}`;
}
