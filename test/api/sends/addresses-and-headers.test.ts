import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import { failedRow, REJECTED, sendRecord } from '../../support/failed-mails.ts';
import { mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
});

const send = (body: object) => project.api.post('/send', { template: 'receipt', ...body });

interface ArrivedMail extends Email {
  readonly byName: Readonly<Record<string, string>>;
}

async function arrived(to: string): Promise<ArrivedMail> {
  const messages = await mailTo(to);
  const mail = await PostalMime.parse(messages.at(-1)!.raw);
  return Object.assign(mail, { byName: Object.fromEntries(mail.headers.map(({ key, value }) => [key, decodeWords(value)])) });
}

describe('names, answers and headers', () => {
  test('a mail says the name of its recipient, where answers go, and the headers of the call, in the log too', async () => {
    const to = project.address();
    const headers = {
      'X-Order': 'Größe 12',
      References: '<a@x.example> <b@x.example>',
      'In-Reply-To': '<b@x.example>',
      'List-Id': '<orders.x.example>',
    };
    const replyTo = '"Bell, Änn" <Ann@Example.com>';
    const { id } = must(await send({ to: `Ada "the first" <${to}>`.replace(/"/g, ''), replyTo, headers }), 200);
    const mail = await arrived(to);
    expect(mail.to).toMatchObject([{ address: to, name: 'Ada the first' }]);
    expect(mail.replyTo).toMatchObject([{ address: 'ann@example.com', name: 'Bell, Änn' }]);
    expect(mail.byName).toMatchObject({ 'x-order': 'Größe 12', references: headers.References, 'list-id': headers['List-Id'] });
    expect(mail.byName['in-reply-to']).toBe('<b@x.example>');
    const { send: row } = must(await project.api.get(`/sends/${encodeURIComponent(id)}`), 200);
    expect(row).toMatchObject({ to_email: to, reply_to: '"Bell, Änn" <ann@example.com>', headers });
  });

  test('nothing that a call writes begins a header of its own or is one that Everpost or a mail service goes by', async () => {
    const to = project.address();
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, '1']));
    for (const [body, path] of [
      ...[{ 'X-A': 'a\r\nBcc: eve@example.net' }, { 'X-A': 'a\nb' }, { 'X-A': '' }, { 'X-A': 7 }, { 'X-A': 'x'.repeat(901) }].map(
        (headers) => [{ headers }, 'headers.X-A'] as const,
      ),
      ...[
        'Bcc',
        'Subject',
        'From',
        'Precedence',
        'Content-Type',
        'X-SES-SOURCE-ARN',
        'x-smtpapi',
        'X-PM-Bcc',
        'X-MC-BccAddress',
        'X-Mailjet-Campaign',
        'x-postmark-tag',
        'X-Sendinblue-Tag',
        'X-CloudMTA-Tags',
        'X:Y',
        'X-A B',
        '',
      ].map((name) => [{ headers: { [name]: 'v' } }, name ? `headers.${name}` : 'headers.'] as const),
      [{ headers: { References: '<größe@x.example>' } }, 'headers.References'],
      [{ headers: { 'X-A': '1', 'x-a': '2' } }, 'headers.x-a'],
      [{ headers: many(21) }, 'headers'],
      [{ headers: [] }, 'headers'],
      [{ template: 'welcome', headers: { 'List-Unsubscribe': '<https://evil.example>' } }, 'headers.List-Unsubscribe'],
      [{ type: 'marketing', headers: { 'list-id': '<x.example>' } }, 'headers.list-id'],
      ...[
        'a@x.example, b@x.example',
        'Ann <a@x.example>, b@x.example',
        'Ann <a@x.example',
        'Ann\r\nBcc: eve <a@x.example>',
        'Ann, Bob <a@x.example>',
        '',
      ].map((replyTo) => [{ replyTo }, 'replyTo'] as const),
      [{ to: 'Ann <nobody>' }, 'to'],
      [{ to: `${'x'.repeat(201)} <a@x.example>` }, 'to'],
    ] as const) {
      const answer = await send({ to, ...body });
      expect([body, answer.status, answer.body.issues?.[0]?.path]).toEqual([body, 422, path]);
    }
    expect(await mailNow(to)).toEqual([]);
    must(await send({ to, headers: many(20) }), 200);
    expect((await arrived(to)).byName).toMatchObject({ 'x-19': '1' });
  });

  test('a marketing mail keeps the headers that are its own beside those of the call', async () => {
    const to = project.address();
    must(await send({ to, template: 'welcome', headers: { 'X-Wave': '3' } }), 200);
    expect((await arrived(to)).byName).toMatchObject({
      ...{ 'x-wave': '3', precedence: 'bulk', 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' },
      'list-id': `<${project.slug}.${project.domain}>`,
    });
  });

  test('a mail that is sent again says what the first one would have said', async () => {
    const to = project.address();
    await scriptMail(to, REJECTED);
    await send({ to: `Ada <${to}>`, replyTo: 'answers@example.com', headers: { 'X-Order': '12' } });
    await scriptMail(to, {});
    const { id } = await failedRow(await database(), to);
    const { send_id } = must(await project.api.post(`/sends/${id}/retry`, {}), 200);
    const mail = await arrived(to);
    expect([mail.to?.[0]?.name, mail.replyTo?.[0]?.address, mail.byName['x-order']]).toEqual(['Ada', 'answers@example.com', '12']);
    expect(await sendRecord(project, send_id)).toMatchObject({ reply_to: 'answers@example.com', headers: { 'X-Order': '12' } });
  });

  test('of a recipient who was erased the log keeps nothing that the call said', async () => {
    const to = project.address();
    const contactId = await newContact(project, to);
    const { id } = must(await send({ to: `Ada <${to}>`, headers: { 'X-Customer': 'Ada Lovelace' } }), 200);
    must(await project.api.call('DELETE', `/contacts/${contactId}`), 200);
    expect(must(await project.api.get(`/sends/${encodeURIComponent(id)}`), 200).send).toMatchObject({
      to_email: '',
      reply_to: null,
      headers: {},
    });
  });
});
