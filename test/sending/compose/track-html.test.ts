import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVault } from '../../../domain/projects/crypto.ts';
import { readTrackedPath, trackedPath } from '../../../domain/sends/tracking.ts';
import { escapeHtml } from '../../../domain/templates/escape.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { runningMs } from '../../support/running-ms.ts';
import { trackHtml } from './track-html.ts';

const vault = createVault(Buffer.alloc(32, 7));
const sendId = '019e0000-0000-7000-8000-000000000001';
const publicUrl = 'https://mail.acme.example/below';
const track = (html: string) => trackHtml(html, { vault, publicUrl, sendId });
/** Where each link of the HTML leads in the end. */
const targets = (html: string) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => {
    const tracked = href.startsWith(publicUrl) ? readTrackedPath(vault, href.slice(publicUrl.length)) : undefined;
    return tracked?.kind === 'clicked' ? tracked.url : `as it is: ${href}`;
  });

test.each([
  ['<a href="https://x.example/?a=1&amp;b=2">', ['https://x.example/?a=1&b=2']],
  ['<a href="https://x.example/?a=1&b=2">', ['https://x.example/?a=1&b=2']],
  ['<a href="https://x.example/?q=&quot;&#39;&#x27;&lt;">', [`https://x.example/?q="''<`]],
  ['<a href="https://x.example/&amp;amp;">', ['https://x.example/&amp;']],
  ['<a href="https://x.example/&#1114112;">', ['https://x.example/&#1114112;']],
  ['<A class="b"\n HREF="http://x.example/">', ['http://x.example/']],
  ['<a href="https://x.example/ä?ö=ü#ß">', ['https://x.example/ä?ö=ü#ß']],
])('the link of %s is led through /t to the same target', (html, wanted) => {
  expect(targets(track(html.replace(/HREF/, 'href')))).toEqual(wanted);
  expect(track(html)).toContain(`${publicUrl}/t/c/`);
});

test.each([
  '<a href="mailto:a@b.example">',
  '<a href="tel:+1">',
  '<a href="#top">',
  '<a href="">',
  '<a href="https://">',
  '<a data-href="https://x.example/">',
  '<link href="https://fonts.example/css" rel="stylesheet">',
  '<img src="https://x.example/a.png">',
  `<a href="${publicUrl}/api/v1/unsubscribe?c=1&amp;t=v1.x&amp;s=2">`,
  'https://x.example/ in text, href="https://x.example/" too',
])('%s stays as it is', (html) => {
  expect(track(html).startsWith(html)).toBe(true);
});

test('the pixel stands at the end of the body, or of what has none', () => {
  expect(track('<body><p>x</p></body></html>')).toMatch(/^<body><p>x<\/p><img src="[^"]+\/t\/o\/[^"]+"[^>]+><\/body><\/html>$/);
  expect(track('x')).toMatch(/^x<img /);
});

test('any target comes out as it went in, whatever it holds', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      expect(targets(track(`<a href="${escapeHtml(url)}">x</a>`))).toEqual([url]);
    }),
  );
});

test('a path is read back only as it was written, and only with the key that signed it', () => {
  const other = createVault(Buffer.alloc(32, 8));
  fc.assert(
    fc.property(fc.uuid(), fc.webUrl(), fc.nat(), fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 1 }), (id, url, at, char) => {
      for (const tracked of [{ kind: 'opened', sendId: id } as const, { kind: 'clicked', sendId: id, url } as const]) {
        const path = trackedPath(vault, tracked);
        expect(readTrackedPath(vault, path)).toEqual(tracked);
        expect(readTrackedPath(other, path)).toBeUndefined();
        const place = at % path.length;
        const changed = path.slice(0, place) + char + path.slice(place + 1);
        if (changed !== path) expect(readTrackedPath(vault, changed)).toBeUndefined();
      }
    }),
  );
});

test('a mail with many links is rewritten fast, and what looks like the start of a link over and over does no harm', () => {
  const link = '<td><a class="x" href="https://x.example/?a=1&amp;b=2" style="color:red">x</a></td>';
  const timed = (html: string) => runningMs(() => track(html));
  timed(link.repeat(100));
  expect(timed(link.repeat(1000))).toBeLessThan(500);
  expect(timed('<a href '.repeat(20_000))).toBeLessThan(500);
  expect(timed(`<a ${'href="x" '.repeat(20_000)}`)).toBeLessThan(500);
});
