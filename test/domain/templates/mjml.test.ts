import { describe, expect, test } from 'vitest';
import { compileContent, compileWritten } from '../../../domain/templates/compile.ts';
import { CONTENT_LIMITS } from '../../../domain/templates/content.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';
import { renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { BRAND, CONTACT, NOW } from './fixtures.ts';

/** What is wrong with it, first as it is read and then as it is compiled, as `path: message`. */
async function faultsOf(mjml: unknown, locale?: string): Promise<string[]> {
  const parsed = parseContent({ mjml });
  const issues = parsed.issues ?? (await issuesOfCompiling(mjml as string, locale));
  return issues.map(({ path, message }) => `${path}: ${message}`);
}

async function issuesOfCompiling(mjml: string, locale: string | undefined) {
  const made = await compileWritten({ mjml }, { locale });
  return 'issues' in made ? made.issues : [];
}

async function rendered(
  mjml: string,
  { data = {}, locale, marketing = false }: { data?: object; locale?: string; marketing?: boolean } = {},
) {
  expect(await faultsOf(mjml, locale)).toEqual([]);
  const compiled = await compileContent({ mjml }, { locale });
  const variables = mailVariables({
    ...{ data: data as Record<string, unknown>, contact: CONTACT, brand: BRAND, recipientEmail: CONTACT.email, now: NOW },
    unsubscribeUrl: marketing ? 'https://mail.example/unsubscribe?c=1&t=2' : undefined,
  });
  return renderMail(compiled, { subject: 'Hello & more', variables, type: marketing ? 'marketing' : 'transactional' });
}

const body = (inside: string) => `<mjml><mj-body>${inside}</mj-body></mjml>`;
const column = (inside: string) => body(`<mj-section><mj-column>${inside}</mj-column></mj-section>`);

describe('MJML that cannot be taken', () => {
  test.each<[string, unknown, string]>([
    ['no text', 5, 'should be a string'],
    ['nothing', '', 'should not be empty'],
    ['a control character', column('<mj-text>a\u0001b</mj-text>'), 'control characters are not possible'],
    ['too much', column(`<mj-text>${'x'.repeat(CONTENT_LIMITS.bytes)}</mj-text>`), 'at most 256 KB'],
    ['too many tags', column(`<mj-text>${'{{x}}'.repeat(5001)}</mj-text>`), 'at most 5000 Liquid tags and outputs'],
    ['Liquid that does not parse', '<mjml>\n<mj-body>{{ a | shout }}', 'line 2, {{ a | shout }}: undefined filter: shout'],
    ['tags that only compiled content has', column('<mj-text>{% pixel %}</mj-text>'), 'line 1, {% pixel %}: tag "pixel" not found'],
    ['another file', body('\n\n<mj-include path="../secrets.mjml" />'), 'line 3: mj-include is not possible'],
    ['another file in a text', column('<mj-text>\n<mj-include path="/etc/passwd" type="html" /></mj-text>'), 'line 2: <mj-include path='],
    ['what stands before the page', body('<mj-raw position="file-start">x</mj-raw>'), 'line 1: mj-raw: position is not possible'],
    [
      'an open element',
      '<mjml>\n<mj-body>\n<mj-section>\n</mj-body></mjml>',
      'line 3: <mj-section> is not closed before </mj-body> in line 4',
    ],
    ['an open text', column('\n<mj-text>Hi\n'), 'line 3: </mj-column> stands in <mj-text>, which began in line 2 and is not closed'],
    ['an open document', '<mjml><mj-body></mj-body>', 'line 1: <mjml> is never closed'],
    [
      'an open comment',
      '<mjml>\n<!-- a <mj-body></mj-body></mjml>',
      'line 2: a comment, a tag or an element of plain text never ends: <!-- a',
    ],
    ['what closes nothing', `${body('')}\n</mj-text>`, 'line 2: </mj-text> closes nothing'],
    ['no body', '<mjml></mjml>', 'line 1: should be <mjml><mj-body>…</mj-body></mjml>'],
    ['no MJML', '<p>Hello</p>', 'line 1: <p> is no element of MJML'],
    ['HTML between', column('\n<b>x</b>'), 'line 2: <b> is no element of MJML; HTML may stand in mj-text, mj-table and mj-raw'],
    ['two bodies', '<mjml><mj-body></mj-body>\n<mj-body></mj-body></mjml>', 'line 2: there can be only one <mj-body>'],
    ['a text between', column('\n\nHello'), 'line 3: text cannot stand directly in mj-column, only in an element like mj-text: Hello'],
    ['Liquid around it', `{% assign a = 1 %}${body('')}`, 'line 1: Liquid cannot stand outside of <mjml>: {% assign a = 1 %}'],
    [
      'Liquid where MJML counts',
      column('<mj-carousel>{{ a }}</mj-carousel>'),
      'line 1: Liquid cannot stand directly in mj-carousel: {{ a }}',
    ],
    [
      'Liquid beside attributes',
      column('<mj-text {% if a %}align="left"{% endif %}>x</mj-text>'),
      'line 1: mj-text: Liquid may stand in the value',
    ],
    [
      'Liquid as a length',
      column('\n<mj-image src="https://a.example" width="{{ w }}px" />'),
      'line 2: mj-image: Attribute width has invalid value: {{ w }}px',
    ],
    ['a class by Liquid', column('<mj-text mj-class="{{ a }}">x</mj-text>'), 'line 1: mj-text: Liquid cannot choose an mj-class'],
    [
      'an attribute without quotes',
      column('<mj-text align=left>x</mj-text>'),
      'line 1: mj-text: the attribute align should have a value in quotes',
    ],
    ['an unknown element', column('\n<mj-txt>x</mj-txt>'), 'line 2: '],
    ['an unknown attribute', column('<mj-text\n colour="red">x</mj-text>'), 'line 1: mj-text: Attribute colour is illegal'],
    ['a wrong place', body('\n<mj-text>x</mj-text>'), 'line 2: mj-text: mj-text cannot be used inside mj-body, only inside:'],
    ['too many links', column(`<mj-text>${'<a href="https://a.example">a</a>'.repeat(1001)}</mj-text>`), 'at most 1000 links'],
    [
      'what grows',
      `<mjml><mj-head><mj-attributes><mj-text css-class="${'x'.repeat(20_000)}" /></mj-attributes></mj-head>${column('<mj-text>a</mj-text>'.repeat(60)).slice(6)}`,
      'compiles to more than 500000 characters of HTML',
    ],
  ])('%s', async (_, mjml, message) => {
    const [first = ''] = await faultsOf(mjml);
    expect(first).toContain(`content.mjml: ${message}`);
  });

  test('is told line by line, also behind Liquid of many lines', async () => {
    const mjml = `<mjml>\n<mj-body>\n{%- comment -%}\n\n{%- endcomment -%}\n{%- if a -%}\n<mj-section>\n<b></b></mj-section>{% endif %}\n<i></i></mj-body></mjml>`;
    expect(await faultsOf(mjml)).toEqual([
      'content.mjml: line 8: <b> is no element of MJML; HTML may stand in mj-text, mj-table and mj-raw',
      'content.mjml: line 9: <i> is no element of MJML; HTML may stand in mj-text, mj-table and mj-raw',
    ]);
  });
});

describe('MJML', () => {
  test('keeps its Liquid as it is: in attributes, in texts, around sections and columns, in loops', async () => {
    const mjml = `<?xml version="1.0"?>
<mjml>
  <mj-head>
    <mj-preview>For {{ name }}</mj-preview>
    <mj-style>.a { color: {{ color }}; }</mj-style>
    <mj-attributes><mj-text color="{{ color }}" /><mj-body background-color="#eeeeee" /></mj-attributes>
  </mj-head>
  <mj-body>
    <!-- {{ unseen }} -->
    {% if shown %}<mj-section><mj-column><mj-text>Hello {{ name }}{% raw %} {{ raw }}{% endraw %}</mj-text></mj-column></mj-section>{% endif %}
    {% if hidden %}<mj-section><mj-column><mj-text>Never</mj-text></mj-column></mj-section>{% endif %}
    <mj-section background-color="{{ color }}">
      {% for item in items %}<mj-column><mj-text>{{ item }}</mj-text>{% if forloop.last %}<mj-button href="{{ url | append: "?a=1&b=2" }}" title='a "b"'>Go</mj-button>{% endif %}</mj-column>{% endfor %}
    </mj-section>
  </mj-body>
</mjml>`;
    const data = { name: '<Ada>', color: '#123456', shown: true, items: ['tea', 'milk'], url: 'https://a.example/' };
    const { html, text, missing } = await rendered(mjml, { data });
    expect(html).toMatch(/^<!doctype html>\s*<html lang="en"/);
    expect(html).toContain('<title>Hello &amp; more</title>');
    expect(html).toContain('.a { color: #123456; }');
    expect(html).toContain('Hello &lt;Ada&gt; {{ raw }}');
    expect(html.match(/color:#123456;/g)?.length).toBeGreaterThan(3);
    expect(html).not.toMatch(/Never|lq[0-9a-f]{16}x|unseen|{%/);
    expect(html).toMatch(/href="https:\/\/a\.example\/\?a=1&amp;b=2"[^>]*title="a &quot;b&quot;"/);
    expect(html.match(/<a\s/g)).toHaveLength(1);
    expect(html).toContain('For &lt;Ada&gt;');
    expect(text).toMatch(/^Hello <Ada> {{ raw }}\s+tea\s+milk\s+Go \(https:\/\/a\.example\/\?a=1&b=2\)/);
    expect(missing).toEqual([]);
  });

  test('takes Liquid between tags wherever it may stand', async () => {
    const liquid = '{% if a %}{% endif %}';
    const inside = [
      `<mj-section>${liquid}<mj-group>${liquid}<mj-column>${liquid}<mj-text>x</mj-text></mj-column></mj-group></mj-section>`,
      `<mj-wrapper>${liquid}<mj-section><mj-column><mj-navbar>${liquid}<mj-navbar-link href="https://a.example">n</mj-navbar-link></mj-navbar>`,
      `<mj-social>${liquid}<mj-social-element name="github" href="{{ u }}">s</mj-social-element></mj-social>`,
      `<mj-accordion>${liquid}<mj-accordion-element>${liquid}<mj-accordion-title>t</mj-accordion-title><mj-accordion-text>{{ u }}</mj-accordion-text></mj-accordion-element></mj-accordion>`,
      `</mj-column></mj-section></mj-wrapper><mj-hero background-url="{{ u }}">${liquid}<mj-text>x</mj-text></mj-hero>`,
    ].join('');
    const { html } = await rendered(
      `<mjml><mj-head>{% assign u = "https://u.example/" %}</mj-head><mj-body>${liquid}${inside}</mj-body></mjml>`,
    );
    expect(html.match(/https:\/\/u\.example\//g)?.length).toBeGreaterThanOrEqual(3);
  });

  test('inlines styles and sets attributes as MJML does, Liquid and all, and asks for no font that it does not name', async () => {
    const mjml = `<mjml lang="fr"><mj-head><mj-title>Own {{ name }}</mj-title>
      <mj-style inline="inline">.b { font-weight: bold; color: {{ color }} }</mj-style>
      <mj-html-attributes><mj-selector path=".c a"><mj-html-attribute name="data-id">{{ name }}</mj-html-attribute></mj-selector></mj-html-attributes>
      </mj-head><mj-body><mj-section><mj-column>{% if name %}<mj-text css-class="c"><a class="b" href="https://a.example/{{ name }}">x</a></mj-text>{% endif %}</mj-column></mj-section></mj-body></mjml>`;
    const { html } = await rendered(mjml, { data: { name: 'Ada', color: '#abcdef' } });
    expect(html).toMatch(/^<!doctype html>\s*<html lang="fr"/);
    expect(html).toContain('<title>Own Ada</title>');
    expect(html).toMatch(/<a [^>]*style="font-weight: bold; color: #abcdef;?"/);
    expect(html).toMatch(/<a [^>]*data-id="Ada"/);
    expect(html).not.toContain('fonts.googleapis.com');
  });

  test.each([
    ['de', 'Abmelden', 'lang="de"'],
    ['ar', 'Unsubscribe', 'lang="ar" dir="rtl"'],
    [undefined, 'Unsubscribe', 'lang="en"'],
  ])('in %s ends with the link to unsubscribe in its language, once', async (locale, word, lang) => {
    const { html, text } = await rendered(column('<mj-text>Hello</mj-text>'), { ...(locale && { locale }), marketing: true });
    expect(html).toContain(`>${word}</a>`);
    expect(html).toContain(lang);
    expect(html.indexOf(`>${word}</a>`)).toBeLessThan(html.indexOf('</body>'));
    expect(text).toContain(`${word}: https://mail.example/unsubscribe`);
    const own = column('<mj-text><a href="{{ unsubscribeUrl }}">Leave</a></mj-text>');
    const left = await rendered(own, { ...(locale && { locale }), marketing: true });
    expect(left.html.match(/unsubscribe\?c=1/g)).toHaveLength(1);
  });

  test('says what it shows without a default, and not the subject of its own', async () => {
    const { writes } = await compileContent({
      mjml: column('<mj-text>{{ a }} {{ b | default: "x" }}{% if c %}{{ d }}{% endif %}</mj-text>'),
    });
    expect(writes).toEqual(['a']);
  });
});
