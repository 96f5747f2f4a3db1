import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { testEnvironment } from '../../support/environment.ts';
import { UNKNOWN } from '../../support/failed-mails.ts';
import { mailCount, mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { type ReadMail, readMail } from '../../support/sent-mail.ts';
import { must, newContact } from '../../support/sequences.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

/** A transactional mail unless told. */
const send = (body: object, on = project) => on.api.post('/send', { subject: 'Own', type: 'transactional', ...body });

async function sent(body: object, on = project): Promise<ReadMail & { readonly to: string; readonly answer: Record<string, unknown> }> {
  const to = on.address();
  const answer = must(await send({ to, ...body }, on), 200);
  const [message, ...more] = await mailTo(to);
  expect(more).toEqual([]);
  return { ...(await readMail(message!.raw)), to, answer };
}

async function logOf(to: string, on = project) {
  return must(await on.api.get(`/sends?q=${encodeURIComponent(to)}`), 200).sends;
}

async function rowsOf(to: string): Promise<number> {
  const counted = await row(await database(), sql<{ count: number }>`select count(*)::int as count from sends where to_email = ${to}`);
  return counted?.count ?? 0;
}

const unix = (text: string | undefined) => text?.replaceAll('\r\n', '\n');

describe('a page of the call', () => {
  const PAGE = `<!DOCTYPE html>\r
<html><head><style>a{color:#09f}</style><title>x</title></head>
<body class=wide><h1>Hi {{ name }}</h1><!-- {{ secret }} -->
<p>Read&nbsp;<a href='https://shop.example/a?x=1&amp;y={{ n }}'>the order</a>, <a href="tel:+431">call</a>, {{ brand.name }}, {{ contact.first_name }}</p>
<ul>{% for item in items %}<li>{{ item }}</li>{% endfor %}</ul>
</body></html>`;

  test('is sent as it was given, its outputs escaped, with a text that is made of it; the row says that it has no template', async () => {
    const to = project.address('page');
    const contactId = await newContact(project, to, { firstName: 'Ada' });
    const data = { name: '<b>Ann</b>', n: 'a"b', items: ['tea & <milk>', 'bread'], secret: '--><i>' };
    const answer = must(await send({ html: PAGE, subject: 'For {{ name }}', contactId, data }), 200);
    const [message] = await mailTo(to);
    const { html, mail, unsubscribe, pixel } = await readMail(message!.raw);
    const expected = PAGE.replaceAll('\r\n', '\n')
      .replace('{{ name }}', '&lt;b&gt;Ann&lt;/b&gt;')
      .replace('{{ secret }}', '--&gt;&lt;i&gt;')
      .replace('{{ n }}', 'a&quot;b')
      .replace('{{ brand.name }}', `Project ${project.slug}`)
      .replace('{{ contact.first_name }}', 'Ada')
      .replace(/\{% for.*endfor %\}/, '<li>tea &amp; &lt;milk&gt;</li><li>bread</li>');
    expect(unix(html)?.trim()).toBe(expected);
    expect([mail.subject, unsubscribe, pixel]).toEqual(['For <b>Ann</b>', undefined, undefined]);
    expect(unix(mail.text)?.trim()).toBe(
      `Hi <b>Ann</b>\n\nRead the order (https://shop.example/a?x=1&y=a%22b), call, Project ${project.slug}, Ada\n\n- tea & <milk>\n- bread`,
    );
    const [logged] = await logOf(to);
    expect(logged).toMatchObject({
      ...{ template: null, type: 'transactional', subject: 'For <b>Ann</b>', status: 'sent', source_type: 'api' },
      ...{ contact_id: contactId, brand_id: project.slug, provider_id: answer.id },
    });
    expect(must(await project.api.get(`/contacts/${contactId}/timeline`), 200).timeline).toContainEqual(
      expect.objectContaining({ kind: 'mail_sent', details: expect.objectContaining({ template: null, subject: 'For <b>Ann</b>' }) }),
    );
  });

  test('goes beside the text that the call gives, or is made of that text alone: escaped, its lines kept', async () => {
    const both = await sent({ html: '<p>{{ a }}</p>', text: 'In text {{ a }} {not liquid}', data: { a: '<1>' } });
    expect([both.html.trim(), both.mail.text?.trim()]).toEqual(['<p>&lt;1&gt;</p>', 'In text <1> {not liquid}']);
    const alone = await sent({ text: 'Dear {{ a }},\r\n\r\n  <b>two</b>  spaces {{ lines }}', data: { a: '<1>', lines: 'x\ny' } });
    expect(unix(alone.mail.text)?.trim()).toBe('Dear <1>,\n\n  <b>two</b>  spaces x\ny');
    expect(unix(alone.html)).toContain(
      '<div style="white-space:pre-wrap">Dear &lt;1&gt;,<br><br>  &lt;b&gt;two&lt;/b&gt;  spaces x\ny</div>',
    );
  });

  test('of blocks is what a template of them is', async () => {
    const content = {
      blocks: [
        { type: 'heading', text: 'Hi {{ name }}' },
        { type: 'button', label: 'Go', url: '{{ url }}' },
      ],
    };
    const { html, mail } = await sent({ content, data: { name: '<Ann>', url: 'https://go.example/?a=1' } });
    expect(html).toMatch(/<h1[^>]*>Hi &lt;Ann&gt;<\/h1>/);
    expect(mail.text).toContain('Go:\nhttps://go.example/?a=1');
  });

  test('has no address that data may not give: only what the page itself says leads elsewhere than to https, http and mailto', async () => {
    const { html } = await sent({
      html: '<a href="{{ a }}">a</a><a href="{{ b }}">b</a><a href="tel:{{ c }}">c</a>',
      data: { a: 'javascript:alert(1)', b: 'https://b.example/"', c: '1' },
    });
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['', 'https://b.example/&quot;', 'tel:1']);
  });

  test('says in its answer what it shows and nobody gives, with the right spelling', async () => {
    const { answer } = await sent({ html: '{{ contact.firstName }}{{ gone }}', subject: 'Hi {{ nam }}', data: { name: 'x' } });
    expect(answer).toMatchObject({
      missing: ['nam', 'contact.firstName', 'gone'],
      warnings: [
        { path: 'subject', message: expect.stringContaining('name') },
        { path: 'html', message: expect.stringContaining('contact.first_name') },
      ],
    });
  });
});

describe('a marketing mail of the call', () => {
  const ONCE = /\/unsubscribe\?/g;
  const times = (text: string | undefined) => text?.match(ONCE)?.length ?? 0;

  test.each([
    [
      'without one gets a link at the end of its body',
      { html: '<html><body><p>Buy</p></body></html>' },
      1,
      1,
      /<p>Buy<\/p><div[^>]*>Project \S+<br><span[^>]*>1 Test Street, Testville<\/span><br><a href="[^"]*\/unsubscribe\?[^"]*">Unsubscribe<\/a><\/div><img[^>]*\/t\/o\/[^>]*><\/body><\/html>/,
    ],
    [
      'with one in a comment, or as mere text, has none',
      { html: '<p>Buy {{ unsubscribeUrl }}</p><!-- <a href="{{ unsubscribeUrl }}"> -->' },
      3,
      1,
      /Unsubscribe<\/a><\/div>/,
    ],
    [
      'with one that is not reached has none',
      { html: '{% if no %}<a href="{{ unsubscribeUrl }}">Leave</a>{% endif %}{% break %}x</body>' },
      1,
      1,
      /^<div[^>]*>/,
    ],
    [
      'with one keeps it',
      { html: '<body><a href="{{ unsubscribeUrl }}">Leave</a></body>', text: 'Leave: {{ unsubscribeUrl }}' },
      1,
      1,
      /^<body><a href="[^"]*">Leave<\/a><img/,
    ],
    [
      'whose body ends within a condition gets it behind all',
      { html: '<body>{% if true %}Buy</body>{% endif %}' },
      1,
      1,
      /^<body>Buy<\/body><div/,
    ],
    ['of a text gets it in both parts', { text: 'Buy' }, 1, 1, /Unsubscribe<\/a>/],
    ['of a text with one has a link in the page too', { text: 'Buy, or {{ unsubscribeUrl }}' }, 2, 1, /Unsubscribe<\/a>/],
  ] as const)('%s', async (_, content, inHtml, inText, shape) => {
    const { html, mail, unsubscribe, links } = await sent({ ...content, type: 'marketing' });
    expect(unsubscribe).toContain('/unsubscribe?');
    expect([times(html), times(mail.text)]).toEqual([inHtml, inText]);
    expect(links).toContain(unsubscribe);
    expect(html).toMatch(shape);
    expect(Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]))).toMatchObject({
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      precedence: 'bulk',
    });
  });

  test('has its links and opens counted as those of templates, other addresses as they are', async () => {
    const page = `<p><a class='a>b' HREF = 'https://shop.example/?a=1&amp;b={{ n }}' title="x">one</a><a href=https://two.example/>two</a>
      <a href="{% if n %}https://three.example/{% else %}mailto:x@y.example{% endif %}">three</a><a href="mailto:a@b.example">mail</a>
      <!--[if mso]><a href="https://mso.example/">mso</a><![endif]--><link href="https://style.example/"></p>`;
    const { html, pixel, mail } = await sent({ html: page, type: 'marketing', data: { n: '2 3' } });
    expect(pixel).toBeDefined();
    const leads = [...html.matchAll(/href\s*=\s*["']?([^"'\s>]+)/gi)].map(([, href]) => href!.replaceAll('&amp;', '&'));
    const counted = leads.filter((href) => href.includes('/t/c/'));
    expect(leads.filter((href) => !href.includes('/t/c/') && !href.includes('/unsubscribe?'))).toEqual([
      'mailto:a@b.example',
      'https://mso.example/',
      'https://style.example/',
    ]);
    const targets = await Promise.all(
      counted.map(async (href) =>
        (await fetch(testEnvironment().apiUrl + new URL(href).pathname, { redirect: 'manual' })).headers.get('location'),
      ),
    );
    expect(targets).toEqual(['https://shop.example/?a=1&b=2%203', 'https://two.example/', 'https://three.example/']);
    expect(mail.text).toContain('one (https://shop.example/?a=1&b=2%203)');
    expect(mail.text).not.toContain('/t/c/');
  });

  test('makes a contact of an unknown address and goes to nobody who has left', async () => {
    const { to } = await sent({ html: 'Buy', type: 'marketing' });
    expect(must(await project.api.get(`/contacts?q=${to}`), 200).contacts).toMatchObject([{ email: to, source: 'send' }]);
    const gone = project.address('gone');
    await newContact(project, gone, { status: 'unsubscribed' });
    const refused = await send({ html: 'Buy', type: 'marketing', to: gone });
    expect([refused.status, refused.body.code, refused.body.reason]).toEqual([422, 'send_failed', 'unsubscribed']);
    expect(await mailNow(gone)).toEqual([]);
    expect((await logOf(gone)).map(({ template, status }: { template: null; status: string }) => [template, status])).toEqual([
      [null, 'failed'],
    ]);
  });
});

test('a key makes one mail of one content, and is another mail for another content', async () => {
  const to = project.address('key');
  const idempotencyKey = randomUUID();
  const mail = { to, html: '<p>{{ a }}</p>', data: { a: 1 }, idempotencyKey };
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(mail)));
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  const again = must(await send(mail), 200);
  expect(answers.flatMap(({ status, body }) => (status === 200 ? [body.id] : [])).every((id) => id === again.id)).toBe(true);
  for (const changed of [{ html: '<p>{{ a }}</p> ' }, { text: 'x' }, { html: null, content: { blocks: [] } }, { type: 'marketing' }])
    expect((await send({ ...mail, ...changed })).body.code).toBe('idempotency_key_reuse');
  expect([await mailCount(to), await rowsOf(to)]).toEqual([1, 1]);
});

test('calls with many contents at once go together, each with its own; those with a template beside them too', async () => {
  await project.api.put('/templates/receipt', { enabled: true });
  const to = Array.from({ length: 40 }, (_, n) => project.address(`many-${n}`));
  const bodyOf = (n: number) =>
    n % 4 === 0
      ? { template: 'receipt', subject: `Mail ${n}` }
      : n % 4 === 1
        ? { content: { blocks: [{ type: 'text', text: `Block ${n}` }] } }
        : { html: n % 4 === 2 ? `<p>Page ${n} for {{ n }}</p>` : '<p>Page for {{ n }}</p>', data: { n } };
  const answers = await Promise.all(to.map((address, n) => send({ to: address, subject: `Mail ${n}`, ...bodyOf(n) })));
  expect(answers.map(({ status }) => status)).toEqual(to.map(() => 200));
  for (const [n, address] of to.entries()) {
    const [message] = await mailTo(address);
    const { mail, html } = await readMail(message!.raw);
    expect(mail.subject).toBe(`Mail ${n}`);
    expect(html).toContain(['', `Block ${n}`, `Page ${n} for ${n}`, `Page for ${n}`][n % 4]);
  }
});

test('a mail whose content is not kept cannot be shown or sent again, and says so', async () => {
  const to = project.address('unkept');
  await scriptMail(to, UNKNOWN);
  expect((await send({ to, html: 'x' })).body.reason).toBe('outcome_unknown');
  await scriptMail(to, {});
  const [{ id }] = await logOf(to);
  expect(must(await project.api.get(`/sends?template=&q=${encodeURIComponent(to)}`), 200).sends).toMatchObject([{ id }]);
  expect(must(await project.api.get(`/sends?template=receipt&q=${encodeURIComponent(to)}`), 200).sends).toEqual([]);
  const shown = await project.api.get(`/sends/${id}/mail`);
  expect([shown.status, shown.body.code, shown.body.error]).toEqual([404, 'not_found', expect.stringContaining('not kept')]);
  const again = await project.api.post(`/sends/${id}/retry`, { data: {} });
  expect([again.status, again.body.code, again.body.error]).toEqual([422, 'invalid_status', expect.stringContaining('not kept')]);
  const other = await newProject();
  expect((await other.api.get(`/sends/${id}/mail`)).status).toBe(404);
  expect(await mailCount(to)).toBe(1);
});

test('webhooks are told of it with no template', async () => {
  const own = await newProject();
  const events = await listenForEvents(own, { events: ['email.sent'] });
  const { to } = await sent({ html: 'x' }, own);
  const told = ofType(await events(), 'email.sent');
  expect(told).toMatchObject([{ data: { email: to, template: null, subject: 'Own', source_type: 'api' } }]);
});
