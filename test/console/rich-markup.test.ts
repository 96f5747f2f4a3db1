import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Marks, normal, type Paragraph, type Part, readMarkup } from '../../console/src/pages/templates/rich/markup.ts';
import { writeMarkup } from '../../console/src/pages/templates/rich/write-markup.ts';
import { type Inline, parseMarkdown } from '../../domain/templates/markdown.ts';

/** What a text is made of where it is hard to read. */
const BITS = [
  ...['**', '*', '_', '\\', '[', ']', '(', ')', '](https://example.com/a_(b))', '\n', '\n\n', '\n \n\t ', '\r\n', '\r\n\r\n', ' ', '  '],
  ...[
    'word',
    'a',
    'snake_case',
    '2*3',
    'é',
    '\u00a0',
    '{{ contact.first_name }}',
    '{{ a | default: "**}}" }}',
    '{% if plan %}',
    '{% endif %}',
  ],
  ...['{% comment %} *a* {% endcomment %}', '{', '}}', '{{', '<b>', '&amp;', '1.'],
];
const source = fc.array(fc.constantFrom(...BITS), { maxLength: 14 }).map((bits) => bits.join(''));

/** Nobody sees the marks of a space. */
const seen = (atom: string, marks: Marks): unknown[] => [atom, atom.trim() === '' ? {} : marks];

/** As mails read it: characters, Liquid and new lines, each with its marks; undefined where it is no content. */
function readByMails(markup: string): string | undefined {
  const atoms = (part: Inline, marks: Marks): unknown[] => {
    if (part.kind === 'break') return [['break']];
    if (part.kind === 'text')
      return part.pieces.flatMap(({ fixed, liquid }) =>
        (liquid === undefined ? [...(fixed ?? '')] : [liquid]).map((one) => seen(one, marks)),
      );
    const link = part.kind === 'link' ? part.url.map(({ fixed, liquid }) => fixed ?? liquid).join('') : '';
    const more = part.kind === 'link' ? { link } : part.kind === 'strong' ? { bold: true } : { italic: true };
    return part.children.flatMap((child) => atoms(child, { ...marks, ...more }));
  };
  try {
    return JSON.stringify(
      parseMarkdown(markup).map((paragraph) => paragraph.flatMap((part) => atoms(part, {}))),
      ordered,
    );
  } catch {
    return undefined;
  }
}

function readByEditor({ paragraphs }: { readonly paragraphs: readonly Paragraph[] }): string {
  const atoms = (part: Part): unknown[] => {
    if (part.kind === 'break') return [['break']];
    return part.kind === 'liquid' ? [[part.source, part.marks]] : [...part.text].map((one) => seen(one, part.marks));
  };
  return JSON.stringify(
    paragraphs.map(({ parts }) => parts.flatMap(atoms)),
    ordered,
  );
}

/** Members in one order. */
function ordered(_: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

describe('the markup of a text', () => {
  test('that is read and written again is the same to the byte', () => {
    fc.assert(
      fc.property(source, (markup) => {
        if (markup.trim() !== '') expect(writeMarkup(readMarkup(markup))).toBe(markup);
      }),
      { numRuns: 3000 },
    );
  });

  test('is read by the editor as emails read it', () => {
    fc.assert(
      fc.property(source, (markup) => {
        const byMails = readByMails(markup);
        if (byMails !== undefined) expect(readByEditor(readMarkup(markup))).toBe(byMails);
      }),
      { numRuns: 3000 },
    );
  });

  test('of which one paragraph is changed keeps the others to the byte', () => {
    const markup = '  _slanted_ and *too*\r\n \r\n**b** 2*3\n\n\nLast\n';
    const read = readMarkup(markup);
    const changed = read.paragraphs.with(1, { ...read.paragraphs[1], parts: [{ kind: 'text', text: 'New', marks: { bold: true } }] });
    expect(writeMarkup({ ...read, paragraphs: changed })).toBe('  _slanted_ and *too*\r\n \r\n**New**\n\n\nLast\n');
  });
});

const marks = fc.record(
  { bold: fc.constant(true), italic: fc.constant(true), link: fc.constantFrom('https://a.example/(x', 'https://b.example/{{ id }}') },
  { requiredKeys: [] },
);
const part: fc.Arbitrary<Part> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('text' as const),
      text: fc.constantFrom('word', ' ', 'two words', '*', '_', '**x**', '[y]', '](', 'snake_case', '\\', ' end ', 'é', '{ ', '}}'),
      marks,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('liquid' as const), source: fc.constantFrom('{{ a }}', '{% if x %}'), marks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('break' as const), marks }) },
);
const paragraphs = fc.array(fc.array(part, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });
const words = (parts: readonly Part[]): string =>
  normal(parts)
    .map((one) => (one.kind === 'text' ? one.text : one.kind === 'liquid' ? one.source : '\n'))
    .join('');

describe('what is written in the editor', () => {
  test('is read again with the same words and the same Liquid, whatever characters and marks it has', () => {
    fc.assert(
      fc.property(paragraphs, (written) => {
        const markup = writeMarkup({ paragraphs: written.map((parts) => ({ parts })), head: '', tail: '' });
        // Spaces around paragraphs and empty lines say nothing.
        const lines = (all: readonly (readonly Part[])[]): string[] =>
          all
            .map(words)
            .join('\n\n')
            .split('\n')
            .map((line) => line.trim())
            .filter(Boolean);
        expect(lines(readMarkup(markup).paragraphs.map(({ parts }) => parts))).toEqual(lines(written));
        if (markup !== '') expect(writeMarkup(readMarkup(markup))).toBe(markup);
      }),
      { numRuns: 3000 },
    );
  });

  test.each<[string, Part[], string]>([
    [
      'bold',
      [
        { kind: 'text', text: 'b ', marks: { bold: true } },
        { kind: 'text', text: 'c', marks: {} },
      ],
      '**b** c',
    ],
    ['bold within italic', [text('a ', 'i'), text('b', 'bi'), text(' c', 'i')], '_a **b** c_'],
    ['bold beside italic', [text('a', 'b'), text('b', 'i')], '**a**_b_'],
    ['a star', [text('2*3 and 4*5', '')], '2\\*3 and 4\\*5'],
    ['a name with underscores', [text('a snake_case name', '')], 'a snake_case name'],
    ['Liquid in bold', [text('a ', 'b'), { kind: 'liquid', source: '{{ x }}', marks: { bold: true } }], '**a {{ x }}**'],
    ['a variable that is cut by a mark', [text('{{ na', ''), text('me }}', 'b')], '{{ name }}'],
    ['two new lines', [text('a', ''), { kind: 'break', marks: {} }, { kind: 'break', marks: {} }, text('b', '')], 'a\n\nb'],
    ['a link with brackets', [{ kind: 'text', text: '[a]', marks: { link: 'https://a.example/x y' } }], '[(a)](https://a.example/x%20y)'],
  ])('%s becomes its markup', (_, parts, markup) => {
    expect(writeMarkup({ paragraphs: [{ parts }], head: '', tail: '' })).toBe(markup);
  });
});

function text(says: string, has: string): Part {
  return { kind: 'text', text: says, marks: { ...(has.includes('b') && { bold: true }), ...(has.includes('i') && { italic: true }) } };
}
