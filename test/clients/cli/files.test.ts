import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../cli/src/files/canonical.ts';
import { lineDifference } from '../../../cli/src/files/lines.ts';
import { type BlockContent, contentOfMarkdown, markdownDoubts, markdownOf } from '../../../cli/src/files/markdown-content.ts';
import { changedYamlFile, newYamlFile, parseYaml } from '../../../cli/src/files/yaml-text.ts';

/** Texts with what Markdown and YAML read as something else. */
const text = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.constantFrom(
        '# ',
        '## ',
        '- ',
        '1. ',
        '> ',
        '---',
        '```',
        '```block',
        '\n',
        '\n\n',
        ' ',
        '\t',
        '{{ a }}',
        ': ',
        '#',
        '"',
        "'",
        '<!-- next block -->',
        '\r\n',
        '\u0085',
        '\u2028',
        'no',
        '~',
        '&a',
        '*a',
        '!x',
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''))
  .filter((joined) => joined !== '');

const block: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constant('heading'), text, level: fc.constantFrom(1, 2, 3) }, { requiredKeys: ['type', 'text'] }),
  fc.record({ type: fc.constant('text'), text, align: fc.constantFrom('left', 'center') }, { requiredKeys: ['type', 'text'] }),
  fc.record(
    { type: fc.constant('list'), items: fc.array(text, { minLength: 1, maxLength: 3 }), ordered: fc.boolean() },
    { requiredKeys: ['type', 'items'] },
  ),
  fc.record({ type: fc.constant('quote'), text, author: text }, { requiredKeys: ['type', 'text'] }),
  fc.record({ type: fc.constant('divider') }),
  fc.record({ type: fc.constant('button'), label: text, url: text }),
) as fc.Arbitrary<JsonObject>;

const content: fc.Arbitrary<BlockContent> = fc.record(
  { preheader: text, blocks: fc.array(block, { maxLength: 6 }) },
  { requiredKeys: ['blocks'] },
);

describe('content as files', () => {
  test('any blocks that are written as Markdown are read as the very same', () => {
    fc.assert(
      fc.property(content, (given) => {
        expect(contentOfMarkdown(markdownOf(given), 'content.md')).toEqual(given);
      }),
      { numRuns: 1000 },
    );
  });

  test('any value that is written as YAML is read as the very same, in a new file and in one that was there', () => {
    fc.assert(
      fc.property(content, content, (before, after) => {
        const file = newYamlFile({ ...before } as unknown as JsonObject, 'http://x/schemas/content.json');
        expect(parseYaml(file, 'content.yaml')).toEqual(before);
        expect(parseYaml(changedYamlFile(file, { ...after } as unknown as JsonObject, ''), 'content.yaml')).toEqual(after);
      }),
    );
  });

  test('common blocks are Markdown as people write it', () => {
    const blocks = [
      { type: 'heading', text: 'Hello' },
      { type: 'text', text: 'Hi **you**,\n\nwelcome.' },
      { type: 'text', text: 'Another.' },
      { type: 'list', items: ['one', 'two'] },
      { type: 'divider' },
      { type: 'button', label: 'Go', url: 'https://example.com' },
    ];
    const markdown = `---
preheader: "Now: soon"
---

# Hello

Hi **you**,

welcome.

<!-- next block -->

Another.

- one
- two

---

\`\`\`block
type: button
label: Go
url: https://example.com
\`\`\`
`;
    expect(markdownOf({ preheader: 'Now: soon', blocks })).toBe(markdown);
    expect(contentOfMarkdown(markdown, 'content.md')).toEqual({ preheader: 'Now: soon', blocks });
  });

  test('a line across and bold are what people write for them, and stay what they are in Liquid and addresses', () => {
    const across = ['---', '***', '___', '* * *', '- - -', '----------'];
    expect(contentOfMarkdown(across.join('\n\n'), 'content.md').blocks).toEqual(across.map(() => ({ type: 'divider' })));
    const text = 'Very __bold__, __{{ a }}__ and **bold**, no a__b__c, \\__b__, {{ a["__b__"] }} or [x](https://example.com/__b__).';
    const read = 'Very **bold**, **{{ a }}** and **bold**, no a__b__c, \\__b__, {{ a["__b__"] }} or [x](https://example.com/__b__).';
    expect(contentOfMarkdown(text, 'content.md').blocks).toEqual([{ type: 'text', text: read }]);
    expect(markdownDoubts(text)).toEqual([]);
  });

  test.each([
    ['Run `npm`.', 1, 'code in a line'],
    ['# Run `npm`', 1, 'code in a line'],
    ['Not ~~now~~ today', 1, 'text that is struck through'],
    ['At <https://example.com/x>.', 1, 'an address in angle brackets'],
    ['At <ada@example.com>.', 1, 'an address in angle brackets'],
    ['As [we][1] said', 1, 'a link by reference'],
    ['[1]: https://example.com', 1, 'a link by reference'],
    ['Title\n=====', 2, 'a line under a heading'],
    ['Title\n---', 2, 'a line under a heading'],
    ['Hello\n***', 2, 'a line across'],
    ['Hello\n\n    const a = 1;', 3, 'code by indentation'],
    ['####### Small', 1, 'a heading below level 3'],
    ['- one\n- [ ] two', 2, 'a task list'],
    ['- one\n  - two\n- three', 2, 'a list within a list'],
    ['1. one\n\n   - two', 3, 'a list within a list'],
    ['- one\n  and more', 2, 'a list item of several lines'],
    ['  - one\n  - two', 1, 'a list that is indented'],
    ['+ one\n+ two', 1, 'a list goes out as text: begin its items with - or 1.'],
    ['- **one**\n- two', 1, 'bold, italics or a link in a list'],
    ['> see [this](https://example.com)', 1, 'bold, italics or a link in a quote'],
    ['__bold and *italic*__', 1, 'bold by underscores'],
  ])('Markdown that goes out as text is told with its line and the reason: %j', (markdown, line, message) => {
    const doubts = markdownDoubts(markdown);
    expect(doubts[0]).toEqual({ line, message: expect.stringContaining(message) });
    expect(new Set(doubts.map((doubt) => doubt.message)).size).toBe(1);
  });

  test.each([
    'A snake_case_word, a * b * c, 2 ~ 3 ~~ and one ` alone.',
    'Written {{ a | append: "`b`" }} {{ "~~x~~" }}',
    'The list[0][1] and [words](https://example.com) **bold** _italic_ *italic*.',
    '- one * two\n- snake_case_word\n- {{ a }}',
    '{% if a %}\n    {{ b }}\n{% endif %}',
    'Sign here: ______ and ______',
    '5 < 6 > 4, a <- b, x@y.z',
    '   Three spaces before it',
  ])('text that only looks like Markdown is told by nobody: %j', (markdown) => {
    expect(markdownDoubts(markdown)).toEqual([]);
  });

  test('a difference has the lines of both texts, in their order', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const difference = lineDifference(before.map((line) => `${line}\n`).join(''), after.map((line) => `${line}\n`).join(''));
        const of = (other: string) => difference.filter(({ mark }) => mark !== other).map((line) => line.text);
        expect(of('+')).toEqual(before);
        expect(of('-')).toEqual(after);
      }),
    );
  });
});
