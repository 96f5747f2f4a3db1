import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unsubscribeUrl } from '../../../domain/contacts/unsubscribe-token.ts';
import { createVault } from '../../../domain/projects/crypto.ts';
import { parseContent } from '../../../domain/templates/parse-content.ts';
import { type RenderedMail, RenderFailed, renderMail } from '../../../domain/templates/render.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import type { ComposeRequest } from '../../../sending/compose/compose-request.ts';
import { type Composer, createComposer } from '../../../sending/compose/composer.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { LINK_SECRET, OPTIONS, PUBLIC_URL, readMessage, requestFor, SECRET_KEY, storedTemplate, templateOf } from './composers.ts';
import { trackHtml } from './track-html.ts';

let composer: Composer;
beforeAll(() => {
  composer = createComposer(OPTIONS);
});
afterAll(() => composer.close());

const text = (source: string) => ({ type: 'text', text: source });
const vault = createVault(SECRET_KEY);
const lines = (rendered: string) => rendered.toWellFormed().replace(/\r\n?|\n/g, '\r\n');

/** The same mail rendered as a whole, its links found in the finished HTML. */
function renderedWhole(request: ComposeRequest) {
  const { template, subject, type, data, event, brand, to, sendId } = request;
  const variables = mailVariables({
    data,
    contact: JSON.parse(request.contactJson!),
    event,
    brand,
    recipientEmail: to,
    unsubscribeUrl: request.unsubscribe && unsubscribeUrl(PUBLIC_URL, LINK_SECRET, { contactId: request.unsubscribe.contactId, sendId }),
    now: new Date(request.now),
  });
  let mail: RenderedMail;
  try {
    mail = renderMail(template.compiled, { subject, variables, type });
  } catch (error) {
    if (error instanceof RenderFailed) return error.message;
    throw error;
  }
  return { ...mail, html: request.isTracked ? trackHtml(mail.html, { vault, publicUrl: PUBLIC_URL, sendId }) : mail.html };
}

/** Text that is hard to encode in pieces: line ends, white space, dots and halves of characters at the joints. */
const hard = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        '\r',
        '\r\n',
        ' ',
        '\t',
        '.',
        '\n.',
        '=',
        '\n\n\n',
        '\n \n',
        '\u00a0',
        '\ufeff',
        'é',
        '漢字',
        '👩‍👧',
        '\ud83d',
        '\ude00',
        'x'.repeat(74),
      ),
      fc.string({ unit: ANY_CHARACTER, maxLength: 8 }),
      fc.string({ maxLength: 30 }),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(''));

/** A text block: fixed text as it is, with outputs, tags and links between. */
const source = fc
  .array(
    fc.oneof(
      hard,
      fc.constantFrom(
        '{{ v }}',
        '{{ w }}',
        '{{ v | upcase }}{{ w }}',
        '{% if w %}\n\n{{ v }}{% endif %}',
        '{% for x in list %}\n{{ x }} {% endfor %}',
        '{% capture c %}{{ v }} {% endcapture %}{{ c }}',
        '[{{ v }}](https://shop.example/{{ w | url_encode }}?a=1&b=2)',
        '[l](https://shop.example/fixed?q="x"&y)',
        '[l]({{ link }})',
        '[l]({{ w }})',
        '[l](https://{{ w }})',
        '[l](https://[{{ v }})',
        '[out]({{ unsubscribeUrl }})',
        '[m](mailto:a@b.example)',
        '{% break %}',
        '{ {{ "{" }}',
      ),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

const block = fc.oneof(
  source.map(text),
  hard.map((heading) => ({ type: 'heading', text: `x${heading}` })),
  fc
    .record({ label: hard, url: fc.constantFrom('https://shop.example/b', '{{ link }}', '{{ w }}') })
    .map(({ label, url }) => ({ type: 'button', label: `x${label}`, url })),
  fc.constant({ type: 'image', src: 'https://shop.example/i.png', alt: '{{ v }}', href: 'https://shop.example/i' }),
  fc
    .record({ header: hard, value: source })
    .map((column) => ({ type: 'table', rows: 'list', columns: [column, { header: '', value: '{{ row }}' }] })),
  fc.constant({ type: 'code', text: '{{ v }}' }),
  fc.constant({ type: 'divider' }),
);

describe('what is composed in pieces', () => {
  test('decodes to what rendering and encoding the mail as a whole gives, with its links and its pixel', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { maxLength: 4 }),
        hard,
        hard,
        fc.webUrl(),
        fc.boolean(),
        fc.boolean(),
        async (blocks, v, w, link, isTracked, marketing) => {
          const content = { preheader: '{{ v }}', blocks };
          fc.pre(parseContent(content).issues === undefined);
          const request = requestFor(await templateOf(blocks, content.preheader), {
            subject: 'For {{ v }}',
            data: { v, w, link, list: [v, w, 5] },
            isTracked,
            ...(marketing && { type: 'marketing' as const, unsubscribe: { contactId: 'c-1', linkSecret: LINK_SECRET } }),
          });
          const [composed] = await composer.compose([request]);
          const whole = renderedWhole(request);
          if (typeof whole === 'string') {
            expect(composed).toEqual({ ok: false, message: whole });
            return;
          }
          const read = readMessage(composed);
          expect(read.text).toBe(lines(whole.text));
          expect(read.html).toBe(lines(whole.html));
          expect(composed).toMatchObject({ subject: whole.subject, missing: whole.missing });
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('a template stored in a form of before is compiled again from its content', async () => {
  const { content } = await templateOf([text('Hello {{ name }}')]);
  const stored = storedTemplate({ html: 'gone', text: 'gone', writes: [] }, content);
  const request = requestFor(stored, { data: { name: 'Ada' } });
  const composed = await composer.compose([request, requestFor(stored, { data: { name: 'Bea' } })]);
  expect(composed.map((one) => readMessage(one).text.split('\r\n')[0])).toEqual(['Hello Ada', 'Hello Bea']);
});
