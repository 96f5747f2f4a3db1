import { expect, test } from 'vitest';
import { createVault } from '../../../domain/projects/crypto.ts';
import { compileContent } from '../../../domain/templates/compile.ts';
import type { Block } from '../../../domain/templates/content.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';
import { type RenderedMail, renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { buildMessage, messageIdOf } from '../../../platform/mail/mime.ts';
import { trackHtml } from '../../sending/compose/track-html.ts';
import { BRAND, CONTACT, NOW } from './fixtures.ts';

const PUBLIC_URL = 'https://mail.acme.example';
const UNSUBSCRIBE_URL = `${PUBLIC_URL}/api/v1/unsubscribe?c=${CONTACT.id}&t=v1.${'x'.repeat(43)}`;

async function render(content: unknown, data: Record<string, unknown> = {}): Promise<RenderedMail> {
  const parsed = parseContent(content);
  if (parsed.issues) throw new Error(JSON.stringify(parsed.issues));
  const recipient = { contact: CONTACT, recipientEmail: CONTACT.email, unsubscribeUrl: UNSUBSCRIBE_URL };
  const variables = mailVariables({ ...recipient, data, brand: BRAND, now: NOW });
  return renderMail(await compileContent(parsed.content), { subject: 'News of the month', variables, type: 'marketing' });
}

/** Octets of the whole message as marketing mail has it, with counted links. */
function wireLength({ subject, html, text }: RenderedMail): number {
  const sendId = '019e0000-0000-7000-8000-000000000001';
  const from = { email: 'hello@acme.example', name: BRAND.name };
  const tracked = trackHtml(html, { vault: createVault(Buffer.alloc(32, 7)), publicUrl: PUBLIC_URL, sendId });
  const headers = {
    'List-Unsubscribe': `<${UNSUBSCRIBE_URL}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'List-Id': '<acme.acme.example>',
    Precedence: 'bulk',
  };
  const messageId = messageIdOf(sendId, from.email);
  return buildMessage({ sendId, messageId, from, to: CONTACT.email, subject, html: tracked, text, headers, date: NOW }).content.length;
}

const heading = { type: 'heading', text: 'News for {{ contact.first_name }}' };
const button = { type: 'button', label: 'Open your account', url: 'https://example.com/account' };
const paragraph = {
  type: 'text',
  text: 'Thank you for being with us, {{ contact.first_name }}. We have changed a few things that you asked for.',
};
/** Not ASCII, so the parts are quoted-printable, where a "=" takes three octets. */
const typographic = { type: 'text', text: paragraph.text.replace('you asked', 'you’ve asked') };

const EIGHT_BLOCKS = [heading, paragraph, paragraph, paragraph, button, paragraph, paragraph, button];
const eightParagraphs = (text: unknown): unknown[] => [heading, text, text, button, text, text, button, text, text, button, text, text];

test.each([
  ['of eight paragraphs and buttons', EIGHT_BLOCKS],
  ['of eight paragraphs, buttons between them and a heading', eightParagraphs(paragraph)],
  ['of eight paragraphs that are not ASCII, buttons between them and a heading', eightParagraphs(typographic)],
])('a letter %s is under 9 kB on the wire', async (_, blocks) => {
  expect(wireLength(await render({ blocks }))).toBeLessThan(9_000);
});

const address = 'https://example.com/{{ path }}';
const SIMPLE = [
  heading,
  paragraph,
  { ...paragraph, showIf: 'path' },
  button,
  { type: 'image', src: 'https://example.com/a.png', alt: 'A' },
  { type: 'image', src: address, alt: 'A', width: 100, href: address },
  { type: 'divider' },
  { type: 'spacer', height: 20 },
  { type: 'list', items: ['x'] },
  { type: 'table', rows: 'rows', columns: Array(4).fill({ header: 'x', value: '{{ row }}' }) },
  { type: 'quote', text: 'x', author: 'y' },
  { type: 'code', text: '123' },
  { ...heading, background: 'background', align: 'right', showIf: 'path' },
  { ...paragraph, color: 'primary', spaceAbove: 1 },
];
const two = { type: 'columns', columns: [{ blocks: SIMPLE }, { blocks: [] }] };
const three = { type: 'columns', columns: [{ blocks: SIMPLE }, { blocks: [paragraph] }, { blocks: [button] }], showIf: 'path' };
const everything = { preheader: 'x', blocks: [...SIMPLE, two, ...SIMPLE, three, three, paragraph] };

/** The names of the tags that are open at each end tag, from the outermost; the last is the one that it ends. */
function openAtEnds(html: string): string[] {
  const open: string[] = [];
  const paths: string[] = [];
  for (const [, close, name] of html.matchAll(/<(\/?)([a-z][a-z0-9:]*)[^>]*>/gi)) {
    if (['meta', 'img', 'br', 'o:PixelsPerInch'].includes(name!)) continue;
    if (!close) open.push(name!);
    else {
      paths.push(open.join(' '));
      expect(open.pop()).toBe(name);
    }
  }
  expect(open).toEqual([]);
  return paths;
}

test('for Outlook and for all others every tag is closed, and each table has its rows and cells', async () => {
  const { html } = await render(everything, { path: 'p', rows: [1, 2] });
  expect(html).not.toMatch(/undefined|@@|\{[{%]/);
  for (const seen of [html.replace(/<!--\[if mso\]>(.*?)<!\[endif\]-->/gs, '$1'), html.replace(/<!--.*?-->/gs, '')]) {
    const paths = openAtEnds(seen);
    for (const path of paths) {
      expect(path).not.toMatch(/table (?!tr\b)|tr (?!td\b|th\b)|(?<!tr) t[dh]\b|(?<!table) tr\b/);
    }
  }
});

test('Outlook gets the width of the card and of each column', async () => {
  const outlook = async (block: unknown): Promise<string[]> => {
    const { html } = await render({ blocks: [block] }, { path: 'p' });
    return Array.from(html.matchAll(/<!--\[if mso\]>(<table.*?|<\/td>.*?)<!\[endif\]-->/gs), ([, part]) => part!);
  };
  const page = await outlook(paragraph);
  expect(page).toEqual([expect.stringContaining(' width="600"'), '</td></tr></table>']);
  const widths = (parts: readonly string[]): number[] =>
    parts.flatMap((part) => Array.from(part.matchAll(/<td [^>]*width:(\d+)px/g), ([, width]) => Number(width)));
  expect(widths(await outlook(two))).toEqual([300, 300]);
  expect(widths(await outlook(three))).toEqual([200, 200, 200]);
});

test('a mail has the rules of what it shows, and no others', async () => {
  const sheet = async (content: unknown): Promise<string> => (await render(content)).html.match(/<head>.*<\/head>/s)![0];
  const plain = await sheet({ blocks: EIGHT_BLOCKS.slice(1) });
  const own = {
    'h1{font-size': SIMPLE[0],
    '.cells td': SIMPLE[9],
    '.many td': SIMPLE[9],
    '.line blockquote': SIMPLE[10],
    '.code span': SIMPLE[11],
    '.line td': SIMPLE[6],
    '.mj-column-per-50': two,
    'td.mj-full-width-mobile': SIMPLE[4],
  };
  for (const [selector, block] of Object.entries(own)) {
    expect(plain).not.toContain(selector);
    expect(await sheet({ blocks: [block] })).toContain(selector);
  }
  expect((await sheet({ blocks: [two] })).match(/column-per-50\{/g)).toHaveLength(2);
});

test('a text below another keeps its distance, and one that is not shown leaves none', async () => {
  const shown = (showIf?: string): Block => ({ type: 'text', text: 'x\n\ny', ...(showIf && { showIf }) });
  const { html } = await render({ blocks: [shown('path'), shown(), shown('path'), shown('nothing')] }, { path: 'p' });
  const tags = html.slice(html.indexOf('class="card"')).match(/<p style="[^"]*|<td class="ink" style="[^"]*padding:[^";]*/g);
  const first = ['<td class="ink" style="font-size:16px;padding:0 24px 16px', '<p style="margin:0', '<p style="margin:14px 0 0'];
  expect(tags).toEqual([...first, ...first, '<p style="margin:16px 0 0', '<p style="margin:14px 0 0']);
});

test('a preheader is followed by white space up to what an inbox shows of a mail', async () => {
  const preview = async (preheader: string): Promise<string> =>
    (await render({ preheader, blocks: [heading] })).html.match(/opacity:0">(.*?)<\/div>/s)![1]!;
  const length = (text: string): number => text.replace(/&#\d+;|&nbsp;/g, 'x').length;
  for (const preheader of ['x', 'x'.repeat(50), 'x'.repeat(150), 'x'.repeat(300)]) {
    const shown = await preview(preheader);
    expect(shown.startsWith(`${preheader}&#847;&nbsp;`)).toBe(true);
    expect(length(shown)).toBeGreaterThanOrEqual(Math.max(160, preheader.length + 20));
  }
  expect((await render({ blocks: [heading] })).html).not.toContain('&#847;');
});
