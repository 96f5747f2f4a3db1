import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileContent } from '../../../domain/templates/compile.ts';
import { COMPILED_FORMAT } from '../../../domain/templates/compiled-content.ts';
import type { Block, SimpleBlock } from '../../../domain/templates/content.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';

const QUOTE: SimpleBlock = { type: 'quote', text: 'So {{ who }}', author: 'Ada' };
const CODE: SimpleBlock = { type: 'code', text: '{{ code }}' };
const ROOM = { spaceAbove: 30, spaceBelow: 0 };
const BLOCKS: Readonly<Record<Block['type'] | 'styled', readonly Block[]>> = {
  heading: [{ type: 'heading', text: 'Hello {{ who }}' }, { type: 'heading', level: 2, text: 'Of the list', showIf: 'list' }, CODE],
  text: [{ type: 'text', text: '**{{ who | upcase }}**, [look](https://example.com/{{ who }})\n\nand again' }],
  button: [{ type: 'button', label: 'Go, {{ who }}', url: 'https://example.com/{{ who }}' }],
  image: [{ type: 'image', src: 'https://example.com/a.png', alt: 'A', href: 'https://example.com', width: 100 }],
  divider: [{ type: 'divider' }],
  spacer: [{ type: 'spacer', height: 10 }],
  list: [{ type: 'list', ordered: true, items: ['one', '{{ who }}'] }],
  table: [{ type: 'table', rows: 'list', columns: [{ header: 'Name', value: '{{ row.name }}' }] }],
  quote: [QUOTE],
  code: [CODE],
  columns: [{ type: 'columns', columns: [{ blocks: [QUOTE] }, { blocks: [CODE] }] }],
  styled: [
    { type: 'text', text: 'One', color: 'primary', align: 'center', ...ROOM },
    { ...QUOTE, background: 'background' },
    { type: 'heading', text: 'Two', background: 'primary', color: '#fff' },
    { type: 'button', label: 'Go', url: 'https://example.com', align: 'right', background: '#111827', ...ROOM },
    { type: 'columns', columns: [{ blocks: [{ ...CODE, align: 'right' }] }, { blocks: [] }], ...ROOM },
  ],
};

interface Golden {
  readonly format: number;
  readonly digests: Readonly<Record<string, string>>;
}

const FILE = new URL('../../golden/compiled.json', import.meta.url);
const golden = (): Golden => JSON.parse(readFileSync(FILE, 'utf8'));

async function digestOf(blocks: readonly Block[]): Promise<string> {
  const parsed = parseContent({ preheader: 'For {{ who }}', blocks });
  if (parsed.issues) throw new Error(JSON.stringify(parsed.issues));
  const { html, text, writes } = await compileContent(parsed.content);
  return createHash('sha256').update(JSON.stringify({ html, text, writes })).digest('hex');
}

/**
 * What was published is compiled again only when COMPILED_FORMAT is another one. So where this fails, the number has to grow; UPDATE_GOLDEN=1
 * writes the file anew then, and within one format only adds a kind of block that is new.
 */
test('content that compiles to something else has another COMPILED_FORMAT', async () => {
  const digests: Record<string, string> = {};
  for (const [kind, blocks] of Object.entries(BLOCKS)) digests[kind] = await digestOf(blocks);
  if (process.env.UPDATE_GOLDEN === '1') {
    const { format, digests: known } = golden();
    const written: Golden = { format: COMPILED_FORMAT, digests: format === COMPILED_FORMAT ? { ...digests, ...known } : digests };
    writeFileSync(FILE, `${JSON.stringify(written, null, 2)}\n`);
  }
  expect({ format: COMPILED_FORMAT, digests }).toEqual(golden());
});
