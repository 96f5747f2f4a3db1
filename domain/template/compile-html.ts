import mjml2html from 'mjml';
import type { Block, Content, SimpleBlock } from './content.ts';
import { escapeFixed } from './escape.ts';
import { type Inline, parseMarkdown } from './markdown.ts';
import { fixedText, joinPieces, type Piece, piecesOf } from './pieces.ts';
import { safeUrl } from './safe-url.ts';
import { PREHEADER_PADDING, STYLE, THEME } from './theme.ts';

/** What the content gives to the mail waits here while MJML runs, so MJML reads nothing but the layout below. */
class Slots {
  readonly #sources: string[] = [];

  /** Takes Liquid source of escaped HTML; returns what stands for it in MJML, in text and in attributes. */
  hold(source: string): string {
    return `@@${this.#sources.push(source) - 1}@@`;
  }

  fill(html: string): string {
    return html.replace(/@@(\d+)@@/g, (_, index: string) => this.#sources[Number(index)]!);
  }
}

/** The HTML part as Liquid source. Everything that the content holds is escaped; addresses are checked when rendered. */
export async function compileHtml(content: Content): Promise<string> {
  const slots = new Slots();
  const { html } = await mjml2html(mailMjml(content, slots), { validationLevel: 'skip', fonts: {}, keepComments: false });
  return slots.fill(withPixel(html.replace(/^\s+/gm, '')));
}

function withPixel(html: string): string {
  const end = html.lastIndexOf('</body>');
  return `${html.slice(0, end)}{% pixel %}${html.slice(end)}`;
}

function mailMjml(content: Content, slots: Slots): string {
  const preheader = content.preheader
    ? `<mj-preview>${slots.hold(`{% content %}${attribute(content.preheader)}{% endcontent %}${PREHEADER_PADDING}`)}</mj-preview>`
    : '';
  return `<mjml lang="en"><mj-head>
    <mj-title>${slots.hold('{{ subject }}')}</mj-title>${preheader}
    <mj-raw><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no"></mj-raw>
    <mj-attributes>
      <mj-all font-family="${THEME.fontFamily}" />
      <mj-section padding="0" />
      <mj-text padding="0 ${THEME.side}px 16px" font-size="16px" line-height="1.55" color="${THEME.ink}" />
    </mj-attributes>
    <mj-style>${STYLE}</mj-style>
  </mj-head>
  <mj-body background-color="${THEME.page}" width="600px">
    <mj-section padding="24px 0 12px"><mj-column><mj-text css-class="ink" padding="0 ${THEME.side}px" font-size="18px" font-weight="600">${slots.hold(HEADER)}</mj-text></mj-column></mj-section>
    <mj-wrapper css-class="card" background-color="${THEME.paper}" border-radius="10px" padding="28px 0 12px">${enclosed('content', rows(content.blocks, slots), slots)}</mj-wrapper>
    <mj-section padding="16px 0 32px"><mj-column><mj-text css-class="muted" align="center" font-size="13px" line-height="1.6" color="${THEME.muted}">${slots.hold(FOOTER)}</mj-text></mj-column></mj-section>
  </mj-body></mjml>`;
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

/** Blocks beneath each other share a section; columns have one of their own. */
function rows(blocks: readonly Block[], slots: Slots): string {
  let mjml = '';
  let stacked = '';
  const flush = (): void => {
    if (stacked) mjml += `<mj-section><mj-column>${stacked}</mj-column></mj-section>`;
    stacked = '';
  };
  for (const block of blocks) {
    if (block.type !== 'columns') {
      stacked += shownIf(block.showIf, simple(block, slots), slots);
      continue;
    }
    flush();
    const columns = block.columns.map(
      ({ blocks }) => `<mj-column>${blocks.map((inner) => shownIf(inner.showIf, simple(inner, slots), slots)).join('')}</mj-column>`,
    );
    mjml += shownIf(block.showIf, `<mj-section>${columns.join('')}</mj-section>`, slots);
  }
  flush();
  return mjml;
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
      return `<mj-text css-class="ink">${slots.hold(paragraphs(parseMarkdown(block.text)))}</mj-text>`;
    case 'button': {
      const url = link(block.url);
      const button = `<mj-button href="${slots.hold(url)}" background-color="${slots.hold('{{ brand.color | brand_color }}')}" color="${slots.hold('{{ brand.color | ink_on }}')}" align="left" font-size="16px" font-weight="600" line-height="1.25" border-radius="8px" inner-padding="13px 24px" padding="4px ${side}px 20px">${slots.hold(inline(block.label))}</mj-button>`;
      return ifLinked(url, button, slots);
    }
    case 'image': {
      const src = address(block.src);
      const href = block.href ? link(block.href) : '';
      const image = (leadsTo: string): string =>
        `<mj-image css-class="ink" src="${slots.hold(src)}" alt="${slots.hold(attribute(block.alt))}" ${leadsTo && `href="${slots.hold(leadsTo)}"`} ${block.width ? `width="${block.width}px"` : 'fluid-on-mobile="true"'} border-radius="6px" font-size="14px" padding="4px ${side}px 20px" />`;
      return ifLinked(src, ifLinked(href, image(href), slots, image('')), slots);
    }
    case 'divider':
      return `<mj-divider css-class="line" border-width="1px" border-color="${THEME.line}" padding="8px ${side}px 24px" />`;
    case 'spacer':
      return `<mj-spacer height="${block.height}px" />`;
    case 'list': {
      const tag = block.ordered ? 'ol' : 'ul';
      const items = block.items.map((item) => `<li style="margin:0 0 8px;padding-left:4px;">${inline(item)}</li>`).join('');
      return `<mj-text css-class="ink" padding="0 ${side}px 8px">${slots.hold(`<${tag} style="margin:0;padding-left:24px;">${items}</${tag}>`)}</mj-text>`;
    }
    case 'table':
      return `<mj-table css-class="ink line cells${block.columns.length > MANY_COLUMNS ? ' many' : ''}" color="${THEME.ink}" font-size="15px" line-height="1.45" padding="0 ${side}px 20px">${slots.hold(table(block))}</mj-table>`;
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

/** With more than these, the columns of a table have no least width on a phone, so that its screen holds all of them. */
const MANY_COLUMNS = 3;

/** The last of several columns is most often a price, so it stands at the right edge. */
function table({ rows, columns }: SimpleBlock & { type: 'table' }): string {
  const align = (index: number): string => (index > 0 && index === columns.length - 1 ? 'right' : 'left');
  const edge = (index: number): string =>
    `padding:10px ${index === columns.length - 1 ? 0 : 12}px 10px 0;border-bottom:1px solid ${THEME.line};text-align:${align(index)};vertical-align:top;word-break:normal;overflow-wrap:break-word;`;
  const head = columns.map(
    ({ header }, index) =>
      `<th class="muted" style="${edge(index)}font-size:13px;font-weight:600;color:${THEME.muted};">${inline(header)}</th>`,
  );
  const cells = columns.map(({ value }, index) => `<td style="${edge(index)}">${inline(value)}</td>`);
  const headRow = columns.some(({ header }) => header) ? `<tr>${head.join('')}</tr>` : '';
  return `${headRow}{% for row in ${rows} %}<tr>${cells.join('')}</tr>{% endfor %}`;
}

/** Text with Liquid as escaped HTML; a line break stays one. */
function inline(source: string): string {
  return joinPieces(piecesOf(source), (fixed) => escapeFixed(fixed).replaceAll('\n', '<br>'));
}

/** The same inside an attribute. */
function attribute(source: string): string {
  return escaped(piecesOf(source));
}

function escaped(pieces: readonly Piece[]): string {
  return joinPieces(pieces, escapeFixed);
}

/** An address: checked here when it is fixed, and by the url tag after rendering when Liquid has a part in it. */
function address(source: string | readonly Piece[]): string {
  const pieces = typeof source === 'string' ? piecesOf(source) : source;
  if (pieces.every((piece) => piece.liquid === undefined)) return escaped([{ fixed: safeUrl(joinPieces(pieces, (fixed) => fixed)) }]);
  return `{% url %}${joinPieces(pieces, fixedText)}{% endurl %}`;
}

/** The address of a link. Also a fixed one is marked, since where it leads is another in each mail whose clicks are counted. */
function link(source: string | readonly Piece[]): string {
  const pieces = typeof source === 'string' ? piecesOf(source) : source;
  return `{% link %}${joinPieces(pieces, fixedText)}{% endlink %}`;
}

/** Whether an address could come out empty: when Liquid has a part in it. */
function mayBeNone(url: string): boolean {
  return /\{(?!% (?:end)?link %\})[{%]/.test(url);
}

/** HTML with an address, or what stands in its place when its Liquid comes out as none. */
function linked(url: string, html: (url: string) => string, otherwise: string): string {
  return mayBeNone(url) ? `{% linked %}${url}${html(url)}{% unlinked %}${otherwise}{% endlinked %}` : html(url);
}

function paragraphs(texts: readonly (readonly Inline[])[]): string {
  return texts
    .map((text, index) => `<p style="margin:0${index < texts.length - 1 ? ' 0 14px' : ''};">${text.map(inlineHtml).join('')}</p>`)
    .join('');
}

function inlineHtml(part: Inline): string {
  switch (part.kind) {
    case 'text':
      return escaped(part.pieces);
    case 'break':
      return '<br>';
    case 'strong':
    case 'em':
      return `<${part.kind}>${part.children.map(inlineHtml).join('')}</${part.kind}>`;
    case 'link': {
      const label = part.children.map(inlineHtml).join('');
      return linked(
        link(part.url),
        (url) => `<a href="${url}" target="_blank" style="color:${THEME.link};text-decoration:underline;">${label}</a>`,
        label,
      );
    }
    default:
      return part satisfies never;
  }
}
