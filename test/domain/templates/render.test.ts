import { describe, expect, test } from 'vitest';
import { compileContent } from '../../../domain/templates/compile.ts';
import { RenderFailed, renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { BRAND, CONTACT, NOW } from './fixtures.ts';
import { bodyText, render, text } from './rendered.ts';

test('inline Markdown becomes bold, italic, links, line breaks and paragraphs; HTML stays text', async () => {
  const { html } = await render([
    text('**b** *i* _i_ ***bi*** [l](https://example.com/?a=1&b=2)\nnext\n\n<b>x</b> snake_case_name 2 * 3 \\*no\\*'),
  ]);
  expect(html).toContain(
    '<strong>b</strong> <em>i</em> <em>i</em> <strong><em>bi</em></strong> <a href="https://example.com/?a=1&amp;b=2"',
  );
  expect(html).toContain('>l</a><br>next</p>');
  expect(html).toContain('&lt;b&gt;x&lt;/b&gt; snake_case_name 2 * 3 *no*</p>');
});

test('Markdown and Liquid in data stay text', async () => {
  const data = { name: '**Ada** [x](https://evil.example) {{ contact.email }} {% if true %}' };
  const { html, text: plain } = await render([text('Hi {{ name }}')], { data });
  expect(html).toContain('Hi **Ada** [x](https://evil.example) {{ contact.email }} {% if true %}');
  expect(plain).toContain('Hi **Ada** [x](https://evil.example) {{ contact.email }} {% if true %}');
});

test('a captured value is escaped once', async () => {
  const { html } = await render([text('{% capture who %}{{ name }} & co{% endcapture %}Hi {{ who }}, {{ name | escape }}')], {
    data: { name: "O'Brien" },
  });
  expect(html).toContain('Hi O&#39;Brien &amp; co, O&#39;Brien');
});

test.each(['escape', 'escape_once', 'xml_escape'])('the filter %s of templates from elsewhere escapes nothing twice', async (filter) => {
  const { html, text: plain } = await render([text(`Hi {{ name | ${filter} }}`)], { data: { name: "O'Brien & <co>" } });
  expect(html).toContain('Hi O&#39;Brien &amp; &lt;co&gt;');
  expect(plain).toContain("Hi O'Brien & <co>");
});

describe('what is left out by itself', () => {
  const table = { type: 'table', rows: 'items', columns: [{ header: 'COLUMN', value: '{{ row }}' }] };
  const button = { type: 'button', label: 'PRESS', url: '{{ u }}' };
  const heading = (words: string, more: object = {}) => ({ type: 'heading', text: words, ...more });
  /** What both parts hold of these words; they agree. */
  const seen = async (blocks: readonly unknown[], data: Record<string, unknown>): Promise<string[]> => {
    const { html, text: plain } = await render(blocks, { data });
    const words = ['ONE', 'TWO', 'COLUMN', 'PRESS', 'WORDS'];
    const inHtml = words.filter((word) => html.includes(word));
    expect(words.filter((word) => plain.includes(word))).toEqual(inHtml);
    return inHtml;
  };

  test.each([[undefined], [null], [[]], [''], [{}]])('a table of the rows %j goes, its header too', async (items) => {
    expect(await seen([table], { items })).toEqual([]);
    expect(await seen([table], { items: ['x'] })).toEqual(['COLUMN']);
  });

  test.each<[string, unknown[], Record<string, unknown>, string[]]>([
    ['of an empty table goes with it', [heading('ONE'), table, heading('TWO'), text('WORDS')], {}, ['TWO', 'WORDS']],
    ['of a table stays with it', [heading('ONE'), table], { items: [1] }, ['ONE', 'COLUMN']],
    ['of a button without an address goes with it', [heading('ONE'), button], {}, []],
    ['of a button stays with it', [heading('ONE'), button], { u: 'https://example.com' }, ['ONE', 'PRESS']],
    ['of both stays with one of them', [heading('ONE'), table, button], { u: 'https://example.com' }, ['ONE', 'PRESS']],
    [
      'of both goes with both',
      [heading('ONE'), table, { type: 'spacer', height: 9 }, button, { type: 'divider' }, text('WORDS')],
      {},
      ['WORDS'],
    ],
    ['of more than tables and buttons stays', [heading('ONE'), table, text('WORDS')], {}, ['ONE', 'WORDS']],
    [
      'before columns stays',
      [heading('ONE'), table, { type: 'columns', columns: [{ blocks: [text('WORDS')] }, { blocks: [] }] }],
      {},
      ['ONE', 'WORDS'],
    ],
    ['of nothing stays', [heading('ONE')], {}, ['ONE']],
    ['of a button with a fixed address stays', [heading('ONE'), { ...button, url: 'https://example.com' }], {}, ['ONE', 'PRESS']],
    ['of a text that is not shown goes', [heading('ONE'), table, { type: 'text', text: 'WORDS', showIf: 'u' }], {}, []],
    [
      'of a text that is shown stays',
      [heading('ONE'), table, { type: 'text', text: 'WORDS', showIf: 'u' }],
      { u: 'https://example.com' },
      ['ONE', 'WORDS'],
    ],
    ['of a button that is not shown goes', [heading('ONE'), { ...button, url: 'https://example.com', showIf: 'u' }], {}, []],
    ['that is not shown itself stays away', [heading('ONE', { showIf: 'no' }), table], { items: [1] }, ['COLUMN']],
  ])('a heading %s', async (_, blocks, data, words) => {
    expect(await seen(blocks, data)).toEqual(words);
    const column = { type: 'columns', columns: [{ blocks }, { blocks: [] }] };
    if (!blocks.some((block) => (block as { type: string }).type === 'columns')) expect(await seen([column], data)).toEqual(words);
  });
});

test.each([
  ['Hi', 2],
  ['Your trial, Ada', 15],
  ['注文', 4],
  ['two\nlonger lines', 12],
  ['x'.repeat(90), 72],
])('in the text part the line under the heading %j has %d characters', async (title, width) => {
  const { text: plain } = await render([{ type: 'heading', text: '{{ title }}' }], { data: { title } });
  expect(plain).toContain(`${title}\n${'='.repeat(width)}\n`);
  expect(plain).not.toContain('='.repeat(width + 1));
});

test('a heading that comes out blank leaves no line behind', async () => {
  const { text: plain } = await render([{ type: 'heading', text: '{{ title }}' }, text('x')]);
  expect(plain).not.toContain('=');
});

test.each([
  [2, false],
  [3, false],
  [4, true],
  [8, true],
])('a phone may break the words of a table with %d columns, which wants no width of its own: %s', async (count, many) => {
  const { html } = await render([{ type: 'table', rows: 'items', columns: Array(count).fill({ header: 'x', value: '{{ row }}' }) }], {
    data: { items: [1] },
  });
  expect(html).toMatch(/max-width:479px\)\{\s*\.cells td,\.cells th\{[^}]*overflow-wrap:anywhere!important;/);
  expect(html.includes('class="ink line cells many"')).toBe(many);
});

test('a postal address keeps its lines in both parts', async () => {
  const address = '1 Example Street\nDublin';
  const variables = mailVariables({ brand: { ...BRAND, address }, recipientEmail: CONTACT.email, now: NOW });
  const { html, text: plain } = renderMail(await compileContent({ blocks: [] }), { subject: 'x', variables, type: 'transactional' });
  expect(html).toContain(`<span style="white-space:pre-line;">${address}</span>`);
  expect(plain).toContain(address);
});

test('prototypes cannot be reached', async () => {
  const source = '[{{ a.constructor }}{{ a.__proto__ }}{{ constructor }}{{ toString }}{{ a["constructor"] }}{{ list.constructor }}]';
  expect(await bodyText(source, { a: { b: 1 }, list: [] })).toBe('[]');
});

test('system variables win over data', async () => {
  const data = {
    contact: { first_name: 'Eve' },
    brand: { name: 'Evil' },
    recipient: { email: 'x' },
    subject: 'x',
    now: 'x',
    unsubscribeUrl: 'https://x.example',
  };
  const source =
    '{{ contact.first_name }}|{{ contact.attributes.plan }}|{{ brand.name }}|{{ recipient.email }}|{{ subject }}|{{ now }}|{{ unsubscribeUrl }}';
  expect(await bodyText(source, data)).toBe('Ada|team|Acme & Sons|ada@example.com|Hello|2026-05-01T12:00:00.000Z|');
});

test('an unknown path renders empty and is told as missing, unless it has a default', async () => {
  const {
    subject,
    missing,
    text: plain,
  } = await render(
    [
      text(
        '{{ name }}{{ order.total }}{{ nick | default: "you" }}{% if extra %}{{ extra }}{% endif %}{{ contact.first_name }}{{ contact.timezone }}',
      ),
      { type: 'table', rows: 'items', columns: [{ header: '', value: '{{ row.price }}' }] },
    ],
    { subject: 'Order {{ number }}' },
  );
  expect(missing.toSorted()).toEqual(['contact.timezone', 'items', 'name', 'number', 'order.total']);
  expect(subject).toBe('Order');
  expect(plain.startsWith('youAda')).toBe(true);
});

test('showIf shows a block only when its path has a value', async () => {
  const shown = async (value: unknown): Promise<boolean> => {
    const { html, text: plain } = await render([{ type: 'heading', text: 'SHOWN', showIf: 'a.b' }], { data: { a: { b: value } } });
    expect(html.includes('SHOWN')).toBe(plain.includes('SHOWN'));
    return html.includes('SHOWN');
  };
  for (const value of [undefined, null, false, '', '  ', [], {}]) expect(await shown(value)).toBe(false);
  for (const value of [true, 0, 'x', [1], { a: 1 }]) expect(await shown(value)).toBe(true);
});

test.each([
  [{}, ['always']],
  [{ a: 1 }, ['always', 'a.x', 'both', 'items']],
  [{ b: 'x' }, ['always']],
  [{ a: { x: 1 }, c: [1] }, ['always', 'both', 'items', 'inner']],
  [{ a: [], c: [1] }, ['always']],
])('with %j, what hidden blocks would show is not missing', async (data, expected) => {
  const blocks = [
    text('{{ always }}'),
    { type: 'text', text: '{{ a.x }} {{ both }}', showIf: 'a' },
    { type: 'text', text: '{{ both }}', showIf: 'nothing' },
    { type: 'table', rows: 'items', columns: [{ header: '', value: '{{ row.y }}' }], showIf: 'a' },
    { type: 'columns', columns: [{ blocks: [{ type: 'text', text: '{{ inner }}', showIf: 'c[0]' }] }, { blocks: [] }], showIf: 'a' },
  ];
  expect((await render(blocks, { data })).missing).toEqual(expected);
});

test('the subject is one line of plain text', async () => {
  const { subject } = await render([text('x')], { subject: 'Hi {{ name }}', data: { name: 'A & B\r\nBcc: eve@example.com\0\u2028x' } });
  expect(subject).toBe('Hi A & B Bcc: eve@example.com x');
});

test.each([
  ['an assign', '{% assign brand = "" %}{% assign unsubscribeUrl = "" %}'],
  ['a break', '{% break %}'],
  ['a continue in a condition', '{% if true %}{% continue %}{% endif %}'],
  ['a break in a liquid tag', '{% liquid break %}'],
])('%s in the content does not take the footer from marketing mail', async (_, source) => {
  const { html, text: plain } = await render([text(source)], { marketing: true, preheader: source });
  for (const part of [html, plain]) expect(part).toContain('1 Example Street, Dublin');
  expect(html).toContain('<a href="https://mail.example.com/unsubscribe?c=1&amp;t=2"');
  expect(plain.trimEnd().endsWith('Unsubscribe: https://mail.example.com/unsubscribe?c=1&t=2')).toBe(true);
});

test('transactional mail has no unsubscribe link, and marketing mail is not rendered without one', async () => {
  expect((await render([text('x')])).html).not.toContain('Unsubscribe');
  const compiled = await compileContent({ blocks: [] });
  const variables = mailVariables({ brand: BRAND, recipientEmail: 'a@example.com', now: NOW });
  expect(() => renderMail(compiled, { subject: 'x', variables, type: 'marketing' })).toThrow(RenderFailed);
});

test.each([
  ['output', '{% for i in (1..1000000) %}xxxxxxxxxxxxxxxxxxxx{% endfor %}', 'the email is longer than 1000000 characters'],
  [
    'captured output',
    '{% assign a = "xxxxxxxxxx" %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}',
    'longer than',
  ],
  [
    'memory',
    '{% assign a = "xxxxxxxxxx" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}',
    'memory alloc limit exceeded',
  ],
  ['time', '{% for i in (1..9000) %}{% for j in (1..9000) %}{% endfor %}{% endfor %}', 'template render limit exceeded'],
])('%s is limited', async (_, source, message) => {
  await expect(render([text(source)])).rejects.toThrow(RenderFailed);
  await expect(render([text(source)])).rejects.toThrow(message);
});

test('raw text with braces comes out as it is', async () => {
  expect(await bodyText('{% raw %}{{ x }}{% endraw %} {**{a}}** {')).toBe('{{ x }} {{a}} {');
});

test('a date is written in UTC, the same each time', async () => {
  const source = '{{ d | date: "%B %-d, %Y %H:%M" }}';
  for (let time = 0; time < 2; time++) expect(await bodyText(source, { d: '2026-05-04T23:30:00-02:00' })).toBe('May 5, 2026 01:30');
});
