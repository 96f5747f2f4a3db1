import { expect, test } from 'vitest';
import { compileContent } from '../../../domain/templates/compile.ts';
import { renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { BRAND, CONTACT, NOW } from './fixtures.ts';
import { render, text } from './rendered.ts';

test.each([
  ['[wiki](https://en.wikipedia.org/wiki/Foo_(bar))', 'https://en.wikipedia.org/wiki/Foo_(bar)', ''],
  ['[wiki](https://example.com/(a)/(b)?c).', 'https://example.com/(a)/(b)?c', '.'],
  ['[wiki](https://example.com/a))', 'https://example.com/a', ')'],
])('%s is a link', async (source, address, after) => {
  const { html } = await render([text(source)]);
  expect(html).toMatch(/<p [^>]*>(?=<a )/);
  expect(html).toContain(`<a href="${address}" `);
  expect(html).toContain(`>wiki</a>${after}</p>`);
});

test.each([
  ['javascript:alert(1)'],
  ['JaVaScRiPt:alert(1)'],
  [' javascript:alert(1)'],
  ['java\nscript:alert(1)'],
  ['java\tscript:alert(1)'],
  ['\u0001javascript:alert(1)'],
  ['javascript&colon;alert(1)'],
  ['&#106;avascript:alert(1)'],
  ['data:text/html;base64,PHNjcmlwdD4='],
  ['vbscript:x'],
  ['file:///etc/passwd'],
  ['//evil.example'],
  ['https:evil'],
  ['\u200bjavascript:alert(1)'],
])('an address %j from data never becomes a link', async (address) => {
  const { html, text: plain } = await render(
    [{ type: 'button', label: 'Go', url: '{{ u }}' }, { type: 'image', src: '{{ u }}', alt: '', href: '{{ u }}' }, text('[l]({{ u }})')],
    { data: { u: address } },
  );
  const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)]
    .map(([, found]) => found)
    .filter((found) => !found!.startsWith('https://acme.example'));
  expect(addresses).toEqual([]);
  expect(plain).not.toContain(address.trim());
});

test('a picture may be a file of the mail, whoever names it; a link may not', async () => {
  const picture = (src: string) => ({ type: 'image', src, alt: 'A', href: '{{ u }}' });
  const blocks = [picture('cid:logo@x'), picture('{{ u }}'), picture('cid:{{ id }}'), { type: 'button', label: 'PRESS', url: '{{ u }}' }];
  const { html, text: plain } = await render([...blocks, text('[l]({{ u }})')], { data: { u: 'cid:a&b', id: 'logo"><b>' } });
  const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, found]) => found);
  expect(addresses.filter((found) => !found!.startsWith('https://acme.example'))).toEqual(['cid:logo@x', 'cid:a&amp;b']);
  expect(html + plain).not.toContain('PRESS');
  expect(plain.match(/\[A\]/g)).toHaveLength(2);
});

test('addresses from data that are allowed come out, escaped', async () => {
  const { html } = await render([{ type: 'button', label: 'Go', url: 'https://example.com/{{ p }}?a=1&b={{ q | url_encode }}' }], {
    data: { p: 'x"><script>', q: 'ä &' },
  });
  expect(html).toContain('href="https://example.com/x%22%3E%3Cscript%3E?a=1&amp;b=%C3%A4+%26"');
});

test('a button without an address is left out of both parts', async () => {
  const button = { type: 'button', label: 'PRESS', url: '{{ u | default: brand.nothing }}' };
  for (const u of [undefined, '', 'javascript:x']) {
    const { html, text: plain } = await render([button], { data: { u } });
    expect(html + plain).not.toContain('PRESS');
  }
  const { html, text: plain } = await render([button], { data: { u: 'https://example.com' } });
  expect(html).toContain('PRESS');
  expect(plain).toContain('PRESS:\nhttps://example.com');
});

test.each([[undefined], [null], ['javascript:x'], ['data:text/html,x']])('without a usable address (%j) a link is its label', async (u) => {
  const sources = [text('Press **[here]({{ u }})** or [{{ n }}]({{ u }}).'), { type: 'image', src: '{{ u }}', alt: 'GONE' }];
  const linked = { type: 'image', src: 'https://example.com/a.png', alt: 'KEPT', href: '{{ u }}' };
  const { html, text: plain } = await render([...sources, linked], { data: { u, n: 'NAME' } });
  expect(html).toContain('Press <strong>here</strong> or NAME.</p>');
  expect(plain).toContain('Press here or NAME.\n\n[KEPT]');
  expect(html).toContain('alt="KEPT"');
  expect(html).not.toMatch(/GONE|(?:href|src)=""/);
});

test('with a usable address from data links and images come out whole', async () => {
  const blocks = [text('Press [here]({{ u }}), [{{ u }}]({{ u }}).'), { type: 'image', src: '{{ u }}', alt: 'ALT', href: '{{ u }}' }];
  const { html, text: plain } = await render(blocks, { data: { u: 'https://example.com/a' } });
  expect(html).toMatch(/Press <a href="https:\/\/example\.com\/a"[^>]*>here<\/a>, <a /);
  expect(html).toMatch(/<a\s+href="https:\/\/example\.com\/a"[^>]*>\s*<img\s+alt="ALT"\s+src="https:\/\/example\.com\/a"/);
  expect(html.match(/ALT/g)).toHaveLength(1);
  expect(plain).toContain('Press here (https://example.com/a), https://example.com/a.\n\n[ALT]\nhttps://example.com/a\n');
});

test('a brand without usable addresses has its name at the top', async () => {
  const brand = { ...BRAND, website: 'javascript:x', logo_url: 'data:image/png,x' };
  const variables = mailVariables({ brand, recipientEmail: CONTACT.email, now: NOW });
  const { html } = renderMail(await compileContent({ blocks: [] }), { subject: 'x', variables, type: 'transactional' });
  expect(html).toContain('><span class="brand">Acme &amp; Sons</span></td>');
});
