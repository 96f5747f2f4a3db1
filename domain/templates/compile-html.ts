import mjml2html from 'mjml';
import { colorsOf } from './block-colors.ts';
import { blockMjml, columnsMjml, enclosed, MANY_COLUMNS, shownIf, standsAlone } from './block-mjml.ts';
import type { Block, BlockContent, SimpleBlock } from './content.ts';
import { attribute, linked, paragraphs } from './content-html.ts';
import { contentUnder } from './heading-content.ts';
import { type LanguageWords, languageWords } from './language-words.ts';
import { parseMarkdown } from './markdown.ts';
import { piecesOf } from './pieces.ts';
import { shrinkBody, shrinkStyles } from './shrink-html.ts';
import { Slots } from './slots.ts';
import { previewPadding, type Styled, styleFor, THEME } from './theme.ts';

/** How content is compiled. */
export interface CompileOptions {
  /** Each block stands between comments with its place, `<!--block content.blocks[2]-->` and `<!--/block-->`, for who shows it to its author. */
  readonly isMarked?: boolean;
  /** The language that it is in, BCP 47; undefined: the default. */
  readonly locale?: string | undefined;
}

/** The HTML part as Liquid source. Everything that the content holds is escaped; addresses are checked when rendered. */
export async function compileHtml(content: BlockContent, { isMarked = false, locale }: CompileOptions = {}): Promise<string> {
  const words = languageWords(locale);
  const slots = new Slots(new Map(isMarked ? placesOf(content.blocks, 'content.blocks') : []));
  const { html } = await mjml2html(mailMjml(content, words, slots), { validationLevel: 'skip', fonts: {}, keepComments: false });
  return page(content, words, slots.fill(shrinkStyles(html)), slots.fill(shrinkBody(html)));
}

/**
 * The mail around its layout. Outlook on Windows gets a table of a fixed width, since it ignores max-width; fonts, since its tables inherit
 * none; and 96 pixels to an inch, since it scales pictures and text differently without.
 */
function page(content: BlockContent, words: LanguageWords, styles: string, body: string): string {
  const language = `lang="${words.tag}"${words.isRightToLeft ? ' dir="rtl"' : ''}`;
  const preheader = content.preheader
    ? `<div style="display:none;max-height:0;overflow:hidden;opacity:0">{% content %}${attribute(content.preheader)}{% endcontent %}${previewPadding(fixedLength(content.preheader))}</div>\n`
    : '';
  return `<!doctype html>
<html ${language} xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta charset="utf-8"><title>{{ subject }}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<!--[if mso]><noscript><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml></noscript><style>table{mso-table-lspace:0pt;mso-table-rspace:0pt}td,th,div,p,a,li,h1,h2,h3,blockquote{font-family:'Segoe UI',Arial,sans-serif}</style><![endif]-->
${styles}</head><body style="margin:0;background-color:${THEME.page};-webkit-text-size-adjust:100%">
${preheader}<div role="article" aria-roledescription="email" aria-label="{{ subject }}" ${language} style="background-color:${THEME.page};padding:0 ${THEME.margin}px;font-family:${THEME.fontFamily};word-break:break-word">
<!--[if mso]><table role="presentation" align="center" width="600" cellpadding="0" cellspacing="0"><tr><td style="font-size:0;line-height:0;mso-line-height-rule:exactly"><![endif]--><div style="max-width:600px;margin:0 auto">
${body}</div><!--[if mso]></td></tr></table><![endif]--></div>{% pixel %}</body></html>
`;
}

function fixedLength(source: string): number {
  return piecesOf(source).reduce((sum, { fixed }) => sum + (fixed?.length ?? 0), 0);
}

function mailMjml(content: BlockContent, words: LanguageWords, slots: Slots): string {
  return `<mjml><mj-head>
    <mj-attributes>
      <mj-all font-family="inherit" />
      <mj-section padding="0" />
      <mj-text padding="0 ${THEME.side}px 16px" font-size="16px" line-height="1.55" color="${THEME.ink}" />
    </mj-attributes>
    <mj-style>${styleFor(styledParts(content.blocks), darkRules(content.blocks, slots))}</mj-style>
  </mj-head>
  <mj-body width="600px">
    <mj-section><mj-column><mj-text css-class="ink" padding="24px ${THEME.side}px 12px" font-size="18px" font-weight="600">${slots.hold(HEADER)}</mj-text></mj-column></mj-section>
    <mj-wrapper css-class="card" background-color="${THEME.paper}" border-radius="10px" padding="28px 0 12px">${enclosed('content', rows(content.blocks, slots), slots)}</mj-wrapper>
    <mj-section><mj-column><mj-text css-class="muted" align="center" padding="16px ${THEME.side}px 48px" font-size="13px" line-height="1.6" color="${THEME.muted}">${slots.hold(footer(words))}</mj-text></mj-column></mj-section>
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
const footer = ({ unsubscribe }: LanguageWords): string =>
  '{{ brand.name }}{% shown brand.address %}<br><span style="white-space:pre-line;">{{ brand.address }}</span>{% endshown %}' +
  '{% shown unsubscribeUrl %}<br>' +
  `<a href="{% url %}{{ unsubscribeUrl }}{% endurl %}" style="color:${THEME.muted};text-decoration:underline;">${unsubscribe}</a>{% endshown %}`;

/** What texts with colors of their own have in mails that are shown dark. */
function darkRules(blocks: readonly Block[], slots: Slots): ReadonlySet<string> {
  const rules = new Map<string, string>();
  const add = (block: Block): void => {
    if (block.type === 'columns') for (const { blocks: held } of block.columns) held.forEach(add);
    const dark = ('color' in block || 'background' in block) && block.type !== 'button' ? colorsOf(block)?.dark : undefined;
    if (!dark || rules.has(dark.name)) return;
    const background = dark.background ? `background: ${dark.background} !important;` : '';
    rules.set(dark.name, `.${dark.name} { color: ${slots.hold(dark.color)} !important; ${background} }`);
  };
  blocks.forEach(add);
  return new Set(rules.values());
}

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
    const columns = columnsMjml(
      block,
      block.columns.map(({ blocks }) => `<mj-column>${stack(blocks, slots)}</mj-column>`),
    );
    mjml += shownIf(block.showIf, slots.markedMjml(block, columns), slots);
  }
  flush();
  return mjml;
}

/** Texts share the cell of a text above them that is always there. `next`: what stands behind them, if anything. */
function stack(blocks: readonly SimpleBlock[], slots: Slots, next?: Block): string {
  let mjml = '';
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at++]!;
    if (block.type !== 'text' || block.showIf || standsAlone(block)) {
      const under = block.type === 'heading' ? contentUnder([...blocks.slice(at), ...(next ? [next] : [])]) : undefined;
      const inside = slots.markedMjml(block, blockMjml(block, slots));
      mjml += shownIf(block.showIf, under ? enclosed('headed', inside, slots, `${under}{% head %}`) : inside, slots);
      continue;
    }
    let html = slots.marked(block, paragraphs(parseMarkdown(block.text)));
    for (let below = blocks[at]; below?.type === 'text' && !standsAlone(below); below = blocks[++at]) {
      const more = slots.marked(below, paragraphs(parseMarkdown(below.text), { above: BETWEEN_TEXTS }));
      html += below.showIf ? `{% shown ${below.showIf} %}\n${more}{% endshown %}` : `\n${more}`;
    }
    mjml += `<mj-text css-class="ink">${slots.hold(html)}</mj-text>`;
  }
  return mjml;
}

/** Pixels between the texts of two blocks. */
const BETWEEN_TEXTS = 16;
