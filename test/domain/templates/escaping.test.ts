import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileContent } from '../../../domain/templates/compile.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';
import { collapseBlankLines, renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { BRAND, CONTACT, NOW } from './fixtures.ts';

/** Every place where a value can come out, straight and by way of filters and tags. */
const EVERYWHERE = {
  preheader: 'p {{ v }}',
  blocks: [
    { type: 'heading', text: '{{ v }}' },
    { type: 'text', text: '**{{ v }}** [{{ v }}]({{ v }}) [l](https://example.com/{{ v }}?q={{ v | url_encode }})' },
    { type: 'text', text: '{% capture c %}<i>{{ v }}{% endcapture %}{{ c }}{% assign a = v | append: "<u>" %}{{ a | escape }}' },
    {
      type: 'text',
      text: '{{ v | default: "<s>" | upcase }}{% for x in list %}{{ x }}{% endfor %}{% echo v %}{% cycle v, "<q>" %}{{ list | join: v }}',
    },
    { type: 'button', label: '{{ v }}', url: '{{ v }}' },
    { type: 'button', label: 'x', url: 'https://example.com/{{ v }}' },
    { type: 'image', src: '{{ v }}', alt: '{{ v }}', href: '{{ v }}' },
    { type: 'list', items: ['{{ v }}'] },
    { type: 'table', rows: 'list', columns: [{ header: '{{ v }}', value: '{{ row }}{{ v }}' }] },
    {
      type: 'columns',
      columns: [{ blocks: [{ type: 'quote', text: '{{ v }}', author: '{{ v }}' }] }, { blocks: [{ type: 'code', text: '{{ v }}' }] }],
    },
  ],
};

const parsed = parseContent(EVERYWHERE);
if (parsed.issues) throw new Error(JSON.stringify(parsed.issues));
const compiled = await compileContent(parsed.content);

function render(value: string): { html: string; text: string } {
  const brand = { ...BRAND, name: value, address: value, website: value, logo_url: value, color: value };
  const contact = { ...CONTACT, first_name: value };
  const data = { v: value, list: [value, { a: value }] };
  const variables = mailVariables({
    data,
    contact,
    brand,
    recipientEmail: 'a@example.com',
    unsubscribeUrl: 'https://example.com/u',
    now: NOW,
  });
  return renderMail(compiled, { subject: '{{ v }}', variables, type: 'marketing' });
}

/** The mail with its texts and the values of its attributes taken out: what only the template may decide. */
function skeleton(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, '<!---->')
    .replace(/"[^"<>]*"/g, '""')
    .replace(/>[^<>]*/g, '>');
}

const PIECES = [
  '<script>',
  '</script>',
  '"',
  "'",
  '<',
  '>',
  '&',
  '&lt;',
  '&#60;',
  '-->',
  '<!--',
  '`',
  '=',
  ' onload=',
  'javascript:',
  'data:',
  'https://',
  'http://a',
  'mailto:',
];
const LIQUID = [
  '{{',
  '}}',
  '{%',
  '%}',
  '{{ contact.email }}',
  '{% if true %}',
  '{% raw %}',
  '**',
  '[x](',
  ')',
  '\\',
  '\n',
  '\t',
  '\r',
  '\0',
  '\u2028',
  '\u00a0',
  ' ',
];
const hostile = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, minLength: 1 }),
  fc
    .array(fc.oneof(fc.constantFrom(...PIECES, ...LIQUID), fc.string({ minLength: 1, maxLength: 4 })), { minLength: 1, maxLength: 12 })
    .map((parts) => parts.join('')),
);

const usual = skeleton(render('xusual').html);

test('no data breaks out of the place where it is shown', () => {
  fc.assert(
    fc.property(hostile, (value) => {
      const { html } = render(`x${value}`);
      expect(skeleton(html)).toBe(usual);
    }),
    { numRuns: 2000 },
  );
});

test('no data makes an address other than https, http and mailto', () => {
  fc.assert(
    fc.property(hostile, (value) => {
      for (const [, address] of render(value).html.matchAll(/(?:href|src)="([^"]*)"/g))
        expect(address).toMatch(/^$|^(?:https?:\/\/|mailto:)/i);
    }),
    { numRuns: 2000 },
  );
});

test('Liquid in data is not evaluated', () => {
  fc.assert(
    fc.property(hostile, (value) => {
      const { html, text } = render(`${value}{{ contact.email }}{{ v | size }}`);
      expect(text).toContain(collapseBlankLines(`${value}{{ contact.email }}{{ v | size }}`).trimStart());
      expect(html).not.toContain(CONTACT.email);
    }),
    { numRuns: 500, examples: [['\n\n\n<script>']] },
  );
});
