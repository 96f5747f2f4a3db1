import { describe, expect, test } from 'vitest';
import { contrastWarnings } from '../../../domain/templates/block-colors.ts';
import { contrast, readableOnDark } from '../../../domain/templates/colors.ts';
import type { Content } from '../../../domain/templates/content.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';
import { DARK } from '../../../domain/templates/theme.ts';
import { BRAND } from './fixtures.ts';
import { render, text } from './rendered.ts';

const issuesOf = (block: object) => parseContent({ blocks: [block] }).issues ?? [];
const heading = { type: 'heading', text: 'Words' };
const words = { type: 'text', text: 'Words' };
/** The cell around a text that stands in the HTML. */
const cellOf = (html: string, says: string) => new RegExp(`<td[^>]*>(?:(?!<td).)*${says}`, 's').exec(html)?.[0].split('>')[0] ?? '';
const darkRules = (html: string) => /@media \(prefers-color-scheme:dark\)\{(.*?\})\}/s.exec(html)?.[1] ?? '';

test('a block is aligned, colored and kept apart as it asks, and beside it nothing changes', async () => {
  const { html } = await render([
    text('Before'),
    { ...heading, align: 'center', color: 'primary', spaceAbove: 40, spaceBelow: 0 },
    text('After'),
  ]);
  expect(cellOf(html, 'Words')).toMatch(/align="center".*padding:40px 24px 0;.*color:#0f766e/);
  expect([cellOf(html, 'Before'), cellOf(html, 'After')].map((cell) => cell.includes('padding:0 24px 16px'))).toEqual([true, true]);
  const plain = await render([text('Before'), heading, text('After')]);
  expect(cellOf(html, 'After')).toBe(cellOf(plain.html, 'After'));
  expect(darkRules(plain.html)).not.toContain('tone');
});

test('texts with a style of their own stand in cells of their own, the others share one', async () => {
  const { html } = await render([text('One'), text('Two'), { type: 'text', text: 'Three', background: 'background' }, text('Four')]);
  expect(html).toMatch(/>One<\/p>\n<p[^>]*>Two<\/p><\/td>/);
  expect(cellOf(html, 'Three')).toContain('background:#f3f4f6');
});

describe('colors', () => {
  test('on a background without a color the text is light or dark, whichever is read better, the links too', async () => {
    const { html } = await render([
      { type: 'text', text: 'On dark [link](https://example.com)', background: '#111827' },
      { type: 'text', text: 'On light', background: '#fde68a' },
      { type: 'text', text: 'On primary', background: 'primary' },
    ]);
    expect(cellOf(html, 'On dark')).toMatch(/background:#111827;color:#ffffff/);
    expect(cellOf(html, 'On light')).toMatch(/background:#fde68a;color:#111827/);
    expect(cellOf(html, 'On primary')).toMatch(/background:#0f766e;color:#ffffff/);
    expect(html).toMatch(/style="color:inherit;text-decoration:underline;">link/);
  });

  test('in dark mails names follow the scheme, fixed colors are made readable, and a background keeps what stands on it', async () => {
    const { html } = await render([
      { ...heading, color: 'muted' },
      { ...heading, color: '#1f2937' },
      { ...heading, background: 'background' },
      { ...heading, color: '#1f2937', background: '#fde68a' },
      { type: 'columns', columns: [{ blocks: [{ ...heading, color: 'primary' }] }, { blocks: [] }] },
    ]);
    const rules = darkRules(html);
    expect(rules).toContain(`.tone-muted-none{color:${DARK.muted}!important}`);
    expect(rules).toContain(`.tone-auto-background{color:${DARK.ink}!important;background:${DARK.tint}!important}`);
    expect(rules).toContain(`.tone-1f2937-none{color:${readableOnDark('#1f2937')}!important}`);
    expect(rules).toContain(`.tone-primary-none{color:${readableOnDark(BRAND.color)}!important}`);
    expect(rules).not.toContain('fde68a');
    for (const name of ['muted-none', 'auto-background', '1f2937-none', 'primary-none']) expect(html).toContain(`class="tone-${name}"`);
    for (const color of ['#000', '#1f2937', '#7c2d12', '#0000ff', '#ffffff'])
      expect(contrast(readableOnDark(color), DARK.tint)).toBeGreaterThanOrEqual(4.5);
  });

  test('a text that can hardly be read on what is behind it is warned of where it stands, and no other', () => {
    const blocks = [
      { ...heading, color: '#9ca3af' },
      { ...heading, color: '#8b929c' },
      { ...words, color: '#8b929c' },
      { ...words, color: 'primary', background: 'primary' },
      { ...words, background: '#777777' },
      { ...words, color: 'muted' },
      { type: 'button', label: 'x', url: 'https://example.com', color: 'text' },
      { type: 'columns', columns: [{ blocks: [] }, { blocks: [{ ...words, color: '#ffffff' }] }] },
    ];
    const warnings = contrastWarnings({ blocks } as unknown as Content, BRAND.color);
    expect(warnings.map(({ path }) => path)).toEqual([
      'content.blocks[0].color',
      'content.blocks[2].color',
      'content.blocks[3].color',
      'content.blocks[6].color',
      'content.blocks[7].columns[1].blocks[0].color',
    ]);
    expect(warnings[2]?.message).toBe('hard to read: its contrast to the background is 1 and should be at least 4.5');
  });

  test.each([['red'], ['#12345'], ['primary;x:y'], ['{{ brand.color }}'], ['PRIMARY'], ['#1a73e8\n'], [7], ['']])(
    '%j is refused with what may stand there',
    (color) => {
      expect(issuesOf({ ...heading, color })).toEqual([
        { path: 'content.blocks[0].color', message: 'should be primary, text, muted, background, or a color like #1a73e8' },
      ]);
    },
  );
});

test.each([
  [{ type: 'divider', align: 'left' }, 'no such field'],
  [{ type: 'spacer', height: 1, spaceAbove: 1 }, 'no such field'],
  [{ ...heading, align: 'justify' }, 'should be left, center or right'],
  [{ ...heading, spaceBelow: 101 }, 'should be a whole number from 0 to 100 pixels'],
])('%j is refused', (block, message) => {
  expect(issuesOf(block)).toEqual([expect.objectContaining({ message: expect.stringContaining(message) })]);
});
