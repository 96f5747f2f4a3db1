import mjml2html from 'mjml';
import type { Block, Content, SimpleBlock } from './content.ts';
import { attribute, inline, link, linked, mayBeNone, paragraphs, picture } from './content-html.ts';
import { contentUnder } from './heading-content.ts';
import { parseMarkdown } from './markdown.ts';
import { piecesOf } from './pieces.ts';
import { shrinkBody, shrinkStyles } from './shrink-html.ts';
import { previewPadding, type Styled, styleFor, THEME } from './theme.ts';

/** What the content gives to the mail waits here while MJML runs, so MJML reads nothing but the layout below. */
class Slots {
  readonly #sources: string[] = [];
  readonly #places: ReadonlyMap<Block, string>;

  /** `places`: of the blocks that are marked. */
  constructor(places: ReadonlyMap<Block, string>) {
    this.#places = places;
  }

  /** HTML of a block, between comments that say which it is, where it is to be found again. */
  marked(block: Block, html: string): string {
    const place = this.#places.get(block);
    return place === undefined ? html : `<!--block ${place}-->${html}<!--/block-->`;
  }

  /** The same of MJML. */
  markedMjml(block: Block, mjml: string): string {
    const raw = (comment: string): string => `<mj-raw>${this.hold(comment)}</mj-raw>`;
    const place = this.#places.get(block);
    return place === undefined ? mjml : `${raw(`<!--block ${place}-->`)}${mjml}${raw('<!--/block-->')}`;
  }

  /** Takes Liquid source of escaped HTML; returns what stands for it in MJML, in text and in attributes. */
  hold(source: string): string {
    return `@@${this.#sources.push(source) - 1}@@`;
  }

  fill(html: string): string {
    return html.replace(/@@(\d+)@@/g, (_, index: string) => this.#sources[Number(index)]!);
  }
}

/**
 * The HTML part as Liquid source. Everything that the content holds is escaped; addresses are checked when rendered. `isMarked`: each block stands
 * between comments with its place, `<!--block content.blocks[2]-->` and `<!--/block-->`, for who shows it to its author.
 */
export async function compileHtml(content: Content, { isMarked = false }: { readonly isMarked?: boolean } = {}): Promise<string> {
  const slots = new Slots(new Map(isMarked ? placesOf(content.blocks, 'content.blocks') : []));
  const { html } = await mjml2html(mailMjml(content, slots), { validationLevel: 'skip', fonts: {}, keepComments: false });
  return page(content, shrinkStyles(html), slots.fill(shrinkBody(html)));
}

/**
 * The mail around its layout. Outlook on Windows gets a table of a fixed width, since it ignores max-width; fonts, since its tables inherit
 * none; and 96 pixels to an inch, since it scales pictures and text differently without.
 */
function page(content: Content, styles: string, body: string): string {
  const preheader = content.preheader
    ? `<div style="display:none;max-height:0;overflow:hidden;opacity:0">{% content %}${attribute(content.preheader)}{% endcontent %}${previewPadding(fixedLength(content.preheader))}</div>\n`
    : '';
  return `<!doctype html>
<html lang="en" xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta charset="utf-8"><title>{{ subject }}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<!--[if mso]><noscript><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml></noscript><style>table{mso-table-lspace:0pt;mso-table-rspace:0pt}td,th,div,p,a,li,h1,h2,h3,blockquote{font-family:'Segoe UI',Arial,sans-serif}</style><![endif]-->
${styles}</head><body style="margin:0;background-color:${THEME.page};-webkit-text-size-adjust:100%">
${preheader}<div role="article" aria-roledescription="email" aria-label="{{ subject }}" lang="en" style="background-color:${THEME.page};padding:0 ${THEME.margin}px;font-family:${THEME.fontFamily};word-break:break-word">
<!--[if mso]><table role="presentation" align="center" width="600" cellpadding="0" cellspacing="0"><tr><td style="font-size:0;line-height:0;mso-line-height-rule:exactly"><![endif]--><div style="max-width:600px;margin:0 auto">
${body}</div><!--[if mso]></td></tr></table><![endif]--></div>{% pixel %}</body></html>
`;
}

function fixedLength(source: string): number {
  return piecesOf(source).reduce((sum, { fixed }) => sum + (fixed?.length ?? 0), 0);
}

function mailMjml(content: Content, slots: Slots): string {
  return `<mjml><mj-head>
    <mj-attributes>
      <mj-all font-family="inherit" />
      <mj-section padding="0" />
      <mj-text padding="0 ${THEME.side}px 16px" font-size="16px" line-height="1.55" color="${THEME.ink}" />
    </mj-attributes>
    <mj-style>${styleFor(styledParts(content.blocks))}</mj-style>
  </mj-head>
  <mj-body width="600px">
    <mj-section><mj-column><mj-text css-class="ink" padding="24px ${THEME.side}px 12px" font-size="18px" font-weight="600">${slots.hold(HEADER)}</mj-text></mj-column></mj-section>
    <mj-wrapper css-class="card" background-color="${THEME.paper}" border-radius="10px" padding="28px 0 12px">${enclosed('content', rows(content.blocks, slots), slots)}</mj-wrapper>
    <mj-section><mj-column><mj-text css-class="muted" align="center" padding="16px ${THEME.side}px 48px" font-size="13px" line-height="1.6" color="${THEME.muted}">${slots.hold(FOOTER)}</mj-text></mj-column></mj-section>
  </mj-body></mjml>`;
}

function styledParts(blocks: readonly Block[]): ReadonlySet<Styled> {
  const parts = new Set<Styled>();
  for (const block of blocks) {
    if (block.type === 'columns') for (const { blocks } of block.columns) for (const part of styledParts(blocks)) parts.add(part);
    else if (
      block.type === 'heading' ||
      block.type === 'quote' ||
      block.type === 'code' ||
      block.type === 'divider' ||
      block.type === 'table'
    )
      parts.add(block.type);
    if (block.type === 'table' && block.columns.length > MANY_COLUMNS) parts.add('manyColumns');
  }
  return parts;
}

const LOGO = linked(
  '{% url %}{{ brand.logo_url }}{% endurl %}',
  (url) =>
    `<img src="${url}" alt="{{ brand.name }}" height="36" style="display:inline-block;height:36px;width:auto;max-width:220px;border:0;">`,
  '<span class="brand">{{ brand.name }}</span>',
);
const HEADER = linked(
  '{% link %}{{ brand.website }}{% endlink %}',
  (url) => `<a class="brand" href="${url}" target="_blank" style="color:inherit;text-decoration:none;">${LOGO}</a>`,
  LOGO,
);

/** Only marketing mail has an unsubscribeUrl, and it always has one. */
const FOOTER =
  '{{ brand.name }}{% shown brand.address %}<br><span style="white-space:pre-line;">{{ brand.address }}</span>{% endshown %}' +
  '{% shown unsubscribeUrl %}<br>' +
  `<a href="{% url %}{{ unsubscribeUrl }}{% endurl %}" style="color:${THEME.muted};text-decoration:underline;">Unsubscribe</a>{% endshown %}`;

function placesOf(blocks: readonly Block[], path: string): (readonly [Block, string])[] {
  return blocks.flatMap((block, index) => {
    const place = `${path}[${index}]`;
    const columns = block.type === 'columns' ? block.columns : [];
    return [
      [block, place] as const,
      ...columns.flatMap(({ blocks: held }, column) => placesOf(held, `${place}.columns[${column}].blocks`)),
    ];
  });
}

/** Blocks beneath each other share a section; columns have one of their own. */
function rows(blocks: readonly Block[], slots: Slots): string {
  let mjml = '';
  let stacked: SimpleBlock[] = [];
  const flush = (next?: Block): void => {
    if (stacked.length > 0) mjml += `<mj-section><mj-column>${stack(stacked, slots, next)}</mj-column></mj-section>`;
    stacked = [];
  };
  for (const block of blocks) {
    if (block.type !== 'columns') {
      stacked.push(block);
      continue;
    }
    flush(block);
    const columns = block.columns.map(({ blocks }) => `<mj-column>${stack(blocks, slots)}</mj-column>`);
    mjml += shownIf(block.showIf, slots.markedMjml(block, `<mj-section>${columns.join('')}</mj-section>`), slots);
  }
  flush();
  return mjml;
}

/** Texts share the cell of a text above them that is always there. `next`: what stands behind them, if anything. */
function stack(blocks: readonly SimpleBlock[], slots: Slots, next?: Block): string {
  let mjml = '';
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at++]!;
    if (block.type !== 'text' || block.showIf) {
      const under = block.type === 'heading' ? contentUnder([...blocks.slice(at), ...(next ? [next] : [])]) : undefined;
      const inside = slots.markedMjml(block, simple(block, slots));
      mjml += shownIf(block.showIf, under ? enclosed('headed', inside, slots, `${under}{% head %}`) : inside, slots);
      continue;
    }
    let html = slots.marked(block, paragraphs(parseMarkdown(block.text)));
    for (let below = blocks[at]; below?.type === 'text'; below = blocks[++at]) {
      const more = slots.marked(below, paragraphs(parseMarkdown(below.text), BETWEEN_TEXTS));
      html += below.showIf ? `{% shown ${below.showIf} %}\n${more}{% endshown %}` : `\n${more}`;
    }
    mjml += text(html, slots);
  }
  return mjml;
}

function text(html: string, slots: Slots): string {
  return `<mj-text css-class="ink">${slots.hold(html)}</mj-text>`;
}

function shownIf(path: string | null | undefined, mjml: string, slots: Slots): string {
  return path ? enclosed(`shown ${path}`, mjml, slots) : mjml;
}

function enclosed(tag: string, mjml: string, slots: Slots, begin = ''): string {
  const [name] = tag.split(' ', 1);
  return `<mj-raw>${slots.hold(`{% ${tag} %}${begin}`)}</mj-raw>${mjml}<mj-raw>${slots.hold(`{% end${name} %}`)}</mj-raw>`;
}

/** MJML for an address, or what stands in its place when its Liquid comes out as none. */
function ifLinked(url: string, mjml: string, slots: Slots, otherwise = ''): string {
  if (!mayBeNone(url)) return mjml;
  return enclosed('linked', otherwise ? `${mjml}<mj-raw>${slots.hold('{% unlinked %}')}</mj-raw>${otherwise}` : mjml, slots, url);
}

const HEADING_SIZES = { 1: [26, 14], 2: [20, 10], 3: [16, 6] } as const;

function simple(block: SimpleBlock, slots: Slots): string {
  const side = THEME.side;
  switch (block.type) {
    case 'heading': {
      const level = (block.level ?? 1) as keyof typeof HEADING_SIZES;
      const [size, below] = HEADING_SIZES[level];
      const heading = `<h${level} style="margin:0;font-size:${size}px;line-height:1.3;font-weight:700;">${inline(block.text)}</h${level}>`;
      return `<mj-text css-class="ink" padding="4px ${side}px ${below}px">${slots.hold(heading)}</mj-text>`;
    }
    case 'text':
      return text(paragraphs(parseMarkdown(block.text)), slots);
    case 'button': {
      const url = link(block.url);
      const button = `<mj-button href="${slots.hold(url)}" background-color="${slots.hold('{{ brand.color | brand_color }}')}" color="${slots.hold('{{ brand.color | ink_on }}')}" align="left" font-size="16px" font-weight="600" line-height="1.25" border-radius="8px" inner-padding="13px 24px" padding="4px ${side}px 20px">${slots.hold(inline(block.label))}</mj-button>`;
      return ifLinked(url, button, slots);
    }
    case 'image': {
      const src = picture(block.src);
      const href = block.href ? link(block.href) : '';
      const image = (leadsTo: string): string =>
        `<mj-image css-class="ink" src="${slots.hold(src)}" alt="${slots.hold(attribute(block.alt))}" ${leadsTo && `href="${slots.hold(leadsTo)}"`} ${block.width ? `width="${block.width}px"` : 'fluid-on-mobile="true"'} border-radius="6px" font-size="14px" padding="4px ${side}px 20px" />`;
      return ifLinked(src, ifLinked(href, image(href), slots, image('')), slots);
    }
    case 'divider':
      return `<mj-raw><tr><td class="line" style="padding:8px ${side}px 24px"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td style="border-top:1px solid ${THEME.line};font-size:1px;line-height:0">&#8202;</td></tr></table></td></tr></mj-raw>`;
    case 'spacer':
      return `<mj-spacer height="${block.height}px" />`;
    case 'list': {
      const tag = block.ordered ? 'ol' : 'ul';
      const items = block.items.map((item) => `<li style="margin:0 0 8px;padding-left:4px;">${inline(item)}</li>`).join('');
      return `<mj-text css-class="ink" padding="0 ${side}px 8px">${slots.hold(`<${tag} style="margin:0;padding-left:24px;">${items}</${tag}>`)}</mj-text>`;
    }
    case 'table': {
      const cells = `<mj-table css-class="ink line cells${block.columns.length > MANY_COLUMNS ? ' many' : ''}" color="${THEME.ink}" font-size="15px" line-height="1.45" padding="0 ${side}px 20px">${slots.hold(table(block))}</mj-table>`;
      return shownIf(block.rows, cells, slots);
    }
    case 'quote': {
      const author = block.author
        ? `<div class="muted" style="margin-top:8px;font-style:normal;font-size:14px;color:${THEME.muted};">&mdash; ${inline(block.author)}</div>`
        : '';
      const quote = `<blockquote style="margin:0;padding:2px 0 2px 18px;border-left:3px solid ${THEME.line};font-style:italic;">${inline(block.text)}${author}</blockquote>`;
      return `<mj-text css-class="ink line" padding="4px ${side}px 20px">${slots.hold(quote)}</mj-text>`;
    }
    case 'code': {
      const code = `<span style="display:inline-block;padding:14px 18px 14px 22px;border-radius:8px;background:${THEME.tint};font-family:${THEME.monoFamily};font-size:26px;line-height:1.3;font-weight:700;letter-spacing:4px;word-break:break-all;">${inline(block.text)}</span>`;
      return `<mj-text css-class="ink code" padding="4px ${side}px 20px">${slots.hold(code)}</mj-text>`;
    }
    default:
      return block satisfies never;
  }
}

/** Pixels between the texts of two blocks. */
const BETWEEN_TEXTS = 16;

/** With more than these, the columns of a table have no least width on a phone, so that its screen holds all of them. */
const MANY_COLUMNS = 3;

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
