import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileOwn } from '../../../domain/templates/compile-own.ts';
import type { CompiledContent } from '../../../domain/templates/compiled-content.ts';
import { htmlTokens } from '../../../domain/templates/html-tokens.ts';
import { parseLiquid, runLiquid } from '../../../domain/templates/liquid.ts';
import { literalSubject, type OwnContent } from '../../../domain/templates/own-content.ts';
import { collapseBlankLines, renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { BRAND, CONTACT, NOW } from '../../domain/templates/fixtures.ts';

const DATA = {
  a: 'one <1>',
  url: 'https://a.example/?x=1&y=2',
  no: false,
  js: 'javascript:alert(1)',
  script: 'script:alert(1)',
  items: [{ n: 'tea' }, { n: 'milk' }],
};

function compiled(own: OwnContent): CompiledContent {
  const made = compileOwn(own);
  if ('issues' in made) throw new Error(JSON.stringify(made.issues));
  return made.compiled;
}

const variables = (isMarketing: boolean) =>
  mailVariables({
    ...{ data: DATA, contact: CONTACT, brand: BRAND, recipientEmail: CONTACT.email, now: NOW },
    unsubscribeUrl: isMarketing ? 'https://mail.example/unsubscribe?c=1&t=2' : undefined,
  });

const rendered = (own: OwnContent) => renderMail(compiled(own), { subject: 'Own', variables: variables(false), type: 'transactional' });
const textOf = (html: string) => rendered({ html }).text.trim();

/** Parts of pages, whole and broken, with Liquid where people write it and where nobody would; without `break`, which ends a page early. */
const PARTS = [
  ...['<p>', '</p>', '<div style="display:none">', '</div>', '<ul><li>', '</li></ul>', '<a href="https://a.example/?x=1&amp;y=2">', '</a>'],
  ...[
    "<a href='{{ url }}'>",
    '<a href={{url}} class="{{ a }}">',
    '<a href="{% if a %}{{ url }}{% endif %}">',
    '<a href="{% if a %}x">',
    '<br/>',
  ],
  ...[
    '<style>a{b:c}',
    '</style>',
    '<title>',
    '</title>',
    '<!-- c ',
    '-->',
    '<td>',
    '<img alt="{{ a }}" src="x">',
    '<p title="a>b">',
    '<p title="',
  ],
  ...[
    '{{ a }}',
    '{{- a -}}',
    '{{ gone }}',
    '{% if no %}',
    '{% else %}',
    '{% if a > 1 %}',
    '{% endif %}',
    '{% for i in items %}',
    '{{ i.n }}',
  ],
  ...['{% endfor %}', '{% assign b = "<b>" %}{{ b }}', '{% cycle "x", "y" %}', '{% capture c %}<a href="x">{% endcapture %}{{ c }}'],
  ...[
    '{% raw %}{{ a }}<a href="{% if %}">{% endraw %}',
    '{% comment %}<a href="{{ a }}">{% endcomment %}',
    '{',
    '}}',
    '&amp;',
    '&#123;',
    ' \n ',
  ],
  ...['</body>', '</html>', '<body>', '<', '>', '"', "'", 'words', '{% case a %}', '{% when "one <1>" %}', '{% endcase %}'],
];
const page = fc.array(fc.constantFrom(...PARTS), { maxLength: 24 }).map((parts) => parts.join(''));

describe('any page whose Liquid parses', () => {
  test('is rendered as plain Liquid renders it, and has a text that can be rendered', () => {
    fc.assert(
      fc.property(page, (html) => {
        const made = compileOwn({ html });
        if ('issues' in made) return;
        const { html: whole, text } = made.compiled;
        const plain = runLiquid(parseLiquid(html, 'html'), { ...variables(false), subject: '' }, 'html');
        expect(runLiquid(parseLiquid(whole, 'html'), { ...variables(false), subject: '' }, 'html')).toBe(plain);
        expect(runLiquid(parseLiquid(text, 'text'), { ...variables(false), subject: '' }, 'text')).toEqual(expect.any(String));
      }),
      { numRuns: 3000 },
    );
  });

  test('is sent as it stands where it is no Liquid, whatever it has in braces, and so are a text and a subject', () => {
    fc.assert(
      fc.property(page, (html) => {
        const made = compileOwn({ html, text: html, isLiteral: true });
        if ('issues' in made) return;
        const mail = renderMail(made.compiled, {
          subject: literalSubject(`S ${html}`),
          variables: variables(false),
          type: 'transactional',
        });
        expect(mail.html).toBe(html);
        expect(mail.text).toBe(collapseBlankLines(html).trimStart());
        expect(mail.subject).toBe(`S ${html}`.replaceAll('\n', ' ').trim());
        expect(mail.missing).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect(rendered({ html: '<p>{{ a }}, {% if %}</p>', isLiteral: true }).text.trim()).toBe('{{ a }}, {% if %}');
    expect(rendered({ text: '{{ a }} <b>', isLiteral: true }).html).toContain('&#123;&#123; a }} &lt;b&gt;');
  });

  test('is cut into tokens that are the page', () => {
    fc.assert(
      fc.property(fc.oneof(page, fc.string()), (html) => [...htmlTokens(html)].map(({ source }) => source).join('') === html),
      {
        numRuns: 3000,
      },
    );
  });
});

test.each([
  '{{ js }}',
  ' {{ js }}',
  '&#32;{{ js }}',
  '&#x20{{ js }}',
  '&Tab;{{ js }}',
  '\u0004{{ js }}',
  '&#3{{ "2" }};{{ js }}',
  'java{{ script }}',
])('an href whose scheme data could give is an address that a mail may hold, or empty: %j', (href) => {
  expect(rendered({ html: `<a href="${href}">A</a>` }).html).toContain('<a href="">');
});

test.each(['#{{ js }}', '/{{ js }}', 'docs/{{ js }}', 'acme://{{ js }}', '?q={{ js }}'])(
  'an href that says itself what it is stays: %j',
  (href) => {
    expect(rendered({ html: `<a href="${href}">A</a>` }).html).toContain(`<a href="${href.replace('{{ js }}', DATA.js)}">`);
  },
);

test.each([
  ['<h1>A</h1>\n\n<p>b   c<br>d</p>', 'A\n\nb c\nd'],
  ['<p>a <b>b</b> <i>c</i>.</p>', 'a b c.'],
  ['<div>a</div><div>b</div>', 'a\nb'],
  ['<ul>{% for i in items %}\n<li>{{ i.n }}</li>\n{% endfor %}</ul>after', '- tea \n- milk \n\nafter'],
  ['<table>{% for i in items %}<tr class="{% cycle "x", "y" %}"><td>{{ i.n }}</td><td>1</td></tr>{% endfor %}</table>', 'tea 1\nmilk 1'],
  ['<a href="https://a.example/?x=1&amp;y=2">A</a>', 'A (https://a.example/?x=1&y=2)'],
  ['<a href="https://a.example">https://a.example</a>, <a href="mailto:b@a.example">b@a.example</a>', 'https://a.example, b@a.example'],
  ['<a href="https://a.example"><img src="x"></a>', 'https://a.example'],
  ['<a href="{{ url }}">A</a>, <a href="{{ gone }}">B</a>, <a href="#top">C</a>', 'A (https://a.example/?x=1&y=2), B, C'],
  ['<img src="x" alt="A &amp; B"><img src="x">', '[A & B]'],
  ['<head><style>a{}</style><title>T</title></head>a&nbsp;&eacute;&hellip;&#8364;&lt;b&gt;&bogus;', 'a é…€<b>&bogus;'],
  ['<div style="color:red; display: none">x<div>y</div>{{ a }}{% assign z = "kept" %}</div>b {{ z }}', 'b kept'],
  ['<!-- {% assign z = "kept" %}{{ a }} -->{{ z }}', 'kept'],
  ['a{% if no %}<p>b</p>{% else %}<p>c</p>{% endif %}d', 'a\n\nc\n\nd'],
  ['1 < 2 && 3 > 2 {% raw %}{{ a }}{% endraw %} &#123;{ a }}', '1 < 2 && 3 > 2 {{ a }} {{ a }}'],
])('the text of %s', (html, text) => {
  expect(textOf(html)).toBe(text);
});

test('what a page shows that nobody gives is told once, of both parts', () => {
  expect(rendered({ html: '{{ x }}{{ y | default: "z" }}', text: '{{ x }}{{ contact.nick }}' }).missing).toEqual(['x', 'contact.nick']);
});
