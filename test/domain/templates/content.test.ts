import { expect, test } from 'vitest';
import { CONTENT_LIMITS } from '../../../domain/templates/content.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';
import { runningMs } from '../../support/running-ms.ts';

const blocks = (...list: unknown[]): unknown => ({ blocks: list });
const text = (source: string): unknown => blocks({ type: 'text', text: source });
const button = (url: string): unknown => blocks({ type: 'button', label: 'Go', url });
const KINDS = 'heading, text, button, image, divider, spacer, list, table, quote, code';

/** What is wrong with a document, and the one message that says so. */
const BAD: readonly (readonly [unknown, string])[] = [
  [undefined, 'content: required'],
  [null, 'content: should be an object with blocks'],
  ['Hello', 'content: should be an object with blocks'],
  [[], 'content: should be an object with blocks'],
  [{}, 'content.blocks: required'],
  [{ blocks: {} }, 'content.blocks: should be an array of blocks'],
  [{ blocks: [], title: 'x' }, 'content.title: no such field; known: preheader, blocks'],
  [{ blocks: [], preheader: 5 }, 'content.preheader: should be a string'],
  [{ blocks: [], preheader: '{{ name' }, 'content.preheader: line 1, output "{{ name" not closed'],
  [blocks(null), 'content.blocks[0]: should be a block, an object with a type'],
  [blocks('Hello'), 'content.blocks[0]: should be a block, an object with a type'],
  [blocks({}), `content.blocks[0].type: should be one of ${KINDS}, columns`],
  [blocks({ type: 'divider' }, { type: 'video' }), `content.blocks[1].type: should be one of ${KINDS}, columns`],
  [blocks({ type: 'heading' }), 'content.blocks[0].text: required'],
  [blocks({ type: 'heading', text: 5 }), 'content.blocks[0].text: should be a string'],
  [blocks({ type: 'heading', text: '' }), 'content.blocks[0].text: should not be empty'],
  [blocks({ type: 'heading', text: 'x', level: 4 }), 'content.blocks[0].level: should be a whole number from 1 to 3'],
  [blocks({ type: 'heading', text: 'x', level: 1.5 }), 'content.blocks[0].level: should be a whole number from 1 to 3'],
  [blocks({ type: 'heading', text: 'x', colour: 'red' }), 'content.blocks[0].colour: no such field; did you mean color?'],
  [text('a\u0007b'), 'content.blocks[0].text: control characters are not possible'],
  [text('{{ name | shout }}'), 'content.blocks[0].text: line 1, {{ name | shout }}: undefined filter: shout'],
  [text('Hi\n\n{{ name | shout }}'), 'content.blocks[0].text: line 3, {{ name | shout }}: undefined filter: shout'],
  [text('{{ name | raw }}'), 'content.blocks[0].text: line 1, {{ name | raw }}: undefined filter: raw'],
  [text('{% if name %}Hi'), 'content.blocks[0].text: line 1, {% if name %}: tag {% if name %} not closed'],
  [text('{% endif %}'), 'content.blocks[0].text: line 1, {% endif %}: tag "endif" not found'],
  [text('{% include "secrets" %}'), 'content.blocks[0].text: line 1, {% include "secrets" %}: tag "include" not found'],
  [text('{% render "secrets" %}'), 'content.blocks[0].text: line 1, {% render "secrets" %}: tag "render" not found'],
  [text('{% url %}x{% endurl %}'), 'content.blocks[0].text: line 1, {% url %}: tag "url" not found'],
  [text('{% content %}x{% endcontent %}'), 'content.blocks[0].text: line 1, {% content %}: tag "content" not found'],
  [text('{% if a %}{% shown a %}x{% endshown %}{% endif %}'), 'content.blocks[0].text: line 1, {% shown a %}: tag "shown" not found'],
  [button('{% linked %}{% url %}x{% endurl %}{% endlinked %}'), 'content.blocks[0].url: line 1, {% linked %}: tag "linked" not found'],
  [text('[here](javascript:run)'), 'content.blocks[0].text: link (javascript:run): only https, http and mailto'],
  [
    text('[x{% if a %}](https://a.example/{{ b }}){% endif %}'),
    'content.blocks[0].text: link (https://a.example/{{ b }}): line 1, {% if a %}: tag {% if a %} not closed',
  ],
  [text('[x](javascript:alert(1))'), 'content.blocks[0].text: link (javascript:alert(1)): only https, http and mailto'],
  [text('**[here](/terms)**'), 'content.blocks[0].text: link (/terms): only https, http and mailto'],
  [text('{{x}}'.repeat(5001)), 'content: at most 5000 Liquid tags and outputs'],
  [blocks({ type: 'button', label: 'Go' }), 'content.blocks[0].url: required'],
  [button('javascript:alert(1)'), 'content.blocks[0].url: only https, http and mailto'],
  [button(' JavaScript:alert(1)'), 'content.blocks[0].url: only https, http and mailto'],
  [button('java\tscript:alert(1)'), 'content.blocks[0].url: only https, http and mailto'],
  [button('data:text/html,x'), 'content.blocks[0].url: only https, http and mailto'],
  [button('javascript:{{ code }}'), 'content.blocks[0].url: only https, http and mailto'],
  [button('/account/{{ id }}'), 'content.blocks[0].url: only https, http and mailto'],
  [button('https://'), 'content.blocks[0].url: not a valid address'],
  [button(`https://example.com/${'x'.repeat(2048)}`), 'content.blocks[0].url: at most 2048 characters'],
  [blocks({ type: 'image', src: 'https://example.com/a.png' }), 'content.blocks[0].alt: required'],
  ...['data:image/png;base64,AAEC', 'cid:', 'cid:a b', 'xcid:{{ a }}'].map(
    (src) =>
      [
        blocks({ type: 'image', src, alt: '' }),
        'content.blocks[0].src: only https, http and mailto, and cid: with the contentId of an attachment',
      ] as const,
  ),
  [button('cid:logo'), 'content.blocks[0].url: only https, http and mailto'],
  [blocks({ type: 'image', src: 'cid:logo', alt: '', href: 'cid:logo' }), 'content.blocks[0].href: only https, http and mailto'],
  [
    blocks({ type: 'image', src: 'https://example.com/a.png', alt: '', width: 601 }),
    'content.blocks[0].width: should be a whole number from 1 to 600 pixels',
  ],
  [
    blocks({ type: 'image', src: 'https://example.com/a.png', alt: '', href: 'ftp://example.com' }),
    'content.blocks[0].href: only https, http and mailto',
  ],
  [blocks({ type: 'spacer' }), 'content.blocks[0].height: required'],
  [blocks({ type: 'spacer', height: 0 }), 'content.blocks[0].height: should be a whole number from 1 to 200 pixels'],
  [blocks({ type: 'list', items: [] }), 'content.blocks[0].items: at least one item'],
  [blocks({ type: 'list', items: ['a', 2] }), 'content.blocks[0].items[1]: should be a string'],
  [blocks({ type: 'list', items: ['a', '{{ b | c }}'] }), 'content.blocks[0].items[1]: line 1, {{ b | c }}: undefined filter: c'],
  [blocks({ type: 'list', items: ['a'], ordered: 'yes' }), 'content.blocks[0].ordered: should be true or false'],
  [blocks({ type: 'table', columns: [{ header: '', value: '' }] }), 'content.blocks[0].rows: required'],
  [
    blocks({ type: 'table', rows: 'order items', columns: [{ header: '', value: '' }] }),
    'content.blocks[0].rows: should be a data path like order.items',
  ],
  [blocks({ type: 'table', rows: 'items', columns: [] }), 'content.blocks[0].columns: should be an array of 1 to 8 columns'],
  [blocks({ type: 'table', rows: 'items', columns: [{ header: 'Item' }] }), 'content.blocks[0].columns[0].value: required'],
  [
    blocks({ type: 'table', rows: 'items', columns: [{ header: 'Item', value: '{{ row. | x }}' }] }),
    'content.blocks[0].columns[0].value: line 1, {{ row. | x }}: undefined filter: x',
  ],
  [blocks({ type: 'quote', text: 'x', author: 7 }), 'content.blocks[0].author: should be a string'],
  [blocks({ type: 'code', text: 12345 }), 'content.blocks[0].text: should be a string'],
  [blocks({ type: 'divider', showIf: 'a | b' }), 'content.blocks[0].showIf: should be a data path like order.items'],
  [blocks({ type: 'columns', columns: [{ blocks: [] }] }), 'content.blocks[0].columns: should be an array of 2 or 3 columns'],
  [blocks({ type: 'columns', columns: [{ blocks: [] }, { block: [] }] }), 'content.blocks[0].columns[1].blocks: required'],
  [
    blocks({ type: 'columns', columns: [{ blocks: [{ type: 'columns', columns: [] }] }, { blocks: [] }] }),
    'content.blocks[0].columns[0].blocks[0].type: columns cannot hold columns',
  ],
  [
    blocks(
      { type: 'divider' },
      { type: 'divider' },
      {
        type: 'columns',
        columns: [{ blocks: [{ type: 'divider' }, { type: 'button', label: 'Go', url: 'javascript:x' }] }, { blocks: [] }],
      },
    ),
    'content.blocks[2].columns[0].blocks[1].url: only https, http and mailto',
  ],
  [blocks(...Array(CONTENT_LIMITS.blocks + 1).fill({ type: 'divider' })), 'content.blocks: at most 200 blocks'],
  [
    blocks({
      type: 'columns',
      columns: [{ blocks: Array(100).fill({ type: 'divider' }) }, { blocks: Array(100).fill({ type: 'divider' }) }],
    }),
    'content.blocks: at most 200 blocks, those in columns counted',
  ],
  [text('x'.repeat(CONTENT_LIMITS.bytes)), 'content: at most 256 KB'],
];

test.each(BAD.map(([document, message]) => [message, document] as const))('is refused with %s', (message, document) => {
  const { issues = [] } = parseContent(document);
  expect(issues.map((issue) => `${issue.path}: ${issue.message}`)).toContain(message);
});

test('every problem is told, not only the first', () => {
  const { issues = [] } = parseContent(blocks({ type: 'button' }, { type: 'heading', text: 'x', level: 9 }));
  expect(issues.map(({ path }) => path)).toEqual(['content.blocks[0].label', 'content.blocks[0].url', 'content.blocks[1].level']);
});

test('problems of fields, of addresses and of Liquid are told together, in the order of the document', () => {
  const { issues = [] } = parseContent(
    blocks(
      { type: 'button', label: 'Go', url: 'ftp://x' },
      { type: 'heading', text: '{{ x' },
      { type: 'heading', text: 'x', zz: 1 },
      { type: 'columns', columns: [{ blocks: [null, { type: 'list', items: ['{{ y'] }] }, { blocks: 5 }] },
      null,
      { type: 'heading', text: '{{ z', zz: 1 },
    ),
  );
  expect(issues.map(({ path }) => path)).toEqual([
    'content.blocks[0].url',
    'content.blocks[1].text',
    'content.blocks[2].zz',
    'content.blocks[3].columns[0].blocks[0]',
    'content.blocks[3].columns[0].blocks[1].items[0]',
    'content.blocks[3].columns[1].blocks',
    'content.blocks[4]',
    'content.blocks[5].text',
    'content.blocks[5].zz',
  ]);
});

test('too many blocks and a bad address are told together', () => {
  const half = { blocks: Array(100).fill({ type: 'divider' }) };
  const { issues = [] } = parseContent(
    blocks({ type: 'columns', columns: [half, half] }, { type: 'button', label: 'Go', url: 'x', zz: 1 }),
  );
  expect(issues.map(({ path }) => path)).toEqual(['content.blocks', 'content.blocks[1].url', 'content.blocks[1].zz']);
});

test.each([5, 'x', null, [], [null, 5, [], {}], { 0: {} }])('%j in any place for an array is refused, not thrown at', (odd) => {
  for (const type of ['columns', 'list', 'table']) {
    expect(parseContent(blocks({ type, columns: odd, items: odd, rows: odd, zz: 1 })).issues).toBeDefined();
    expect(parseContent(blocks({ type: 'columns', columns: [{ blocks: odd }, odd], zz: 1 })).issues).toBeDefined();
  }
  expect(parseContent({ blocks: odd, preheader: odd, zz: 1 }).issues).toBeDefined();
});

test('null for an optional field is the same as omitting it', () => {
  const document = {
    preheader: null,
    blocks: [
      { type: 'heading', text: 'x', level: null, showIf: null },
      { type: 'quote', text: 'x', author: null },
    ],
  };
  expect(parseContent(document).issues).toBeUndefined();
});

test.each(['*', '_', '[', '**a ', '[a](', '[a](()', '[a]((y)', '(y)', '{', '{% if a %}', '{{x}}', '`', '\\'])(
  'reading 128 KB of %s is quick',
  (part) => {
    const document = text(part.repeat(Math.floor(120_000 / part.length)));
    expect(runningMs(() => parseContent(document))).toBeLessThan(2000);
  },
);
