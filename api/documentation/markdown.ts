import highlight from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../domain/templates/escape.ts';
import { parseFence } from './fence.ts';

export interface Heading {
  readonly id: string;
  /** HTML */
  readonly text: string;
}

/** A page of docs/ as HTML. */
export interface RenderedPage {
  /** The first heading, as plain text. */
  readonly title: string;
  readonly html: string;
  /** Of the second level, for the list beside the page. */
  readonly sections: readonly Heading[];
}

/** Blocks that say the same in several languages stand one after the other; they are shown one at a time. */
const WAYS_TO_CALL = ['curl', 'Node', 'Python'];

/** Where the reference is in Markdown, so that the link works from a file too. */
const REFERENCE = 'http://127.0.0.1:3000/docs';

const GRAMMARS = { sh: bash, js: javascript, json, python, sql };
for (const [name, grammar] of Object.entries(GRAMMARS)) highlight.registerLanguage(name, grammar);

/** The text is ours, so HTML in it stays as it is. */
export function renderPage(markdown: string): RenderedPage {
  const sections: Heading[] = [];
  const nextId = idsOfHeadings();
  let title = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const html = this.parser.parseInline(tokens);
        const id = nextId(text);
        if (depth === 1) title = text;
        if (depth === 2) sections.push({ id, text: html });
        return depth === 1
          ? `<h1 id="${id}">${html}</h1>\n`
          : `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      code: ({ text, lang }) => codeBlock(text, lang ?? ''),
      link({ href, tokens }) {
        return `<a href="${escapeHtml(addressOf(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      table(token) {
        const head = `<tr>${token.header.map((cell) => this.tablecell(cell)).join('')}</tr>`;
        const heads = token.header.map(({ text }) => escapeHtml(text.replaceAll('`', '')));
        const cells = (row: readonly Tokens.TableCell[]): string =>
          row.map(({ tokens }, column) => `<td data-head="${heads[column]}">${this.parser.parseInline(tokens)}</td>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row)}</tr>`);
        return `<div class="table${isStacked(token) ? ' stacked' : ''}"><table><thead>${head}</thead><tbody>${rows.join('\n')}</tbody></table></div>\n`;
      },
    },
  });
  const html = withTabs(marked.lexer(markdown)).map((part) => wrapped(part, (tokens) => marked.parser([...tokens])));
  return { title, html: html.join(''), sections };
}

/** Four columns with a text among them are no table on a phone: what is beside the text stands in rows of nothing, out of sight. */
function isStacked({ header, rows }: Tokens.Table): boolean {
  return header.length >= 4 && rows.some((row) => row.some(({ text }) => text.length > 60));
}

/** The ids that GitHub gives, so that links to a section work in both places. */
function idsOfHeadings(): (text: string) => string {
  const seen = new Map<string, number>();
  return (text) => {
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const before = seen.get(plain) ?? 0;
    seen.set(plain, before + 1);
    return before === 0 ? plain : `${plain}-${before}`;
  };
}

/** `sequences.md#waits` leads to another file there and to another page here. */
function addressOf(href: string): string {
  if (href === REFERENCE || href.startsWith(`${REFERENCE}#`)) return `../docs${href.slice(REFERENCE.length)}`;
  return href.replace(/^([\w-]+)\.md(?=#|$)/, '$1');
}

interface Part {
  readonly tokens: readonly Token[];
  readonly isTabs: boolean;
}

/** Neighbouring blocks in several languages become one part. */
function withTabs(tokens: readonly Token[]): Part[] {
  const parts: { tokens: Token[]; isTabs: boolean }[] = [];
  for (const token of tokens) {
    const last = parts.at(-1);
    const isWay = token.type === 'code' && WAYS_TO_CALL.includes(parseFence((token as Tokens.Code).lang ?? '').title);
    if (last?.isTabs && (isWay || token.type === 'space')) last.tokens.push(token);
    else parts.push({ tokens: [token], isTabs: isWay });
  }
  return parts;
}

function wrapped({ tokens, isTabs }: Part, render: (tokens: readonly Token[]) => string): string {
  return isTabs ? `<div class="tabs">${render(tokens)}</div>\n` : render(tokens);
}

function codeBlock(text: string, info: string): string {
  const { language, title } = parseFence(info);
  const code = language in GRAMMARS ? highlight.highlight(text, { language }).value : escapeHtml(text);
  const shown = title === 'answer' ? 'Answer' : title;
  const caption = shown ? `<figcaption>${escapeHtml(shown)}</figcaption>` : '';
  const kind = title === 'answer' ? ' answer' : '';
  // Scrolls sideways, so it has to be reached by keyboard too.
  return `<figure class="code${kind}"${shown ? ` data-title="${escapeHtml(shown)}"` : ''}>${caption}<pre tabindex="0"><code>${code}</code></pre></figure>\n`;
}
