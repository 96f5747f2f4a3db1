import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../cli/src/files/canonical.ts';
import { lineDifference } from '../../../cli/src/files/lines.ts';
import { type BlockContent, contentOfMarkdown, markdownOf } from '../../../cli/src/files/markdown-content.ts';
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
