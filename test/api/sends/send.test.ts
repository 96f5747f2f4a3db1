import { randomUUID } from 'node:crypto';
import PostalMime, { type Email } from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import { setSendingDomain } from '../../../db/queries/domains/sending-domains.ts';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { mailNow, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
});

const send = (body: object, on = project) => on.api.post('/send', { template: 'receipt', ...body });

async function arrived(to: string): Promise<Email & { readonly byName: Readonly<Record<string, string>> }> {
  const [message, ...more] = await mailTo(to);
  expect(more).toEqual([]);
  const mail = await PostalMime.parse(message!.raw);
  return Object.assign(mail, { byName: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])) });
}

async function logOf(to: string, on = project) {
  return must(await on.api.get(`/sends?q=${encodeURIComponent(to)}`), 200).sends;
}

async function suppress(email: string): Promise<void> {
  must(await project.api.post('/suppressions', { email }), 201);
}

describe('a transactional mail', () => {
  test('arrives with text and HTML, its Message-ID is the answer and the row tells it all', async () => {
    const to = project.address();
    const { status, body } = await send({ to: ` ${to.toUpperCase()} `, data: { orderNumber: '1042', total: '€9', name: 'Ada <b>' } });
    expect([status, body]).toEqual([200, { ok: true, id: expect.any(String) }]);
    const mail = await arrived(to);
    expect(mail.messageId).toBe(`<${body.id}>`);
    expect(mail.subject).toBe('Your receipt for order 1042');
    expect(mail.from).toMatchObject({ address: `hello@${project.domain}`, name: 'The Sender' });
    expect(mail.to).toMatchObject([{ address: to }]);
    expect(mail.text).toContain('Ada <b>');
    expect(mail.html).toContain('Ada &lt;b&gt;');
    for (const name of ['list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'precedence']) expect(mail.byName).not.toHaveProperty(name);
    const [row, ...more] = await logOf(to);
    expect(more).toEqual([]);
    expect(row).toEqual({
      ...{ id: expect.any(String), contact_id: null, brand_id: project.slug, to_email: to, template: 'receipt', type: 'transactional' },
      ...{
        subject: 'Your receipt for order 1042',
        status: 'sent',
        error: null,
        delivery_status: null,
        provider_id: body.id,
        provider: 'smtp',
      },
      ...{
        source_type: 'api',
        source_id: null,
        retried_as: null,
        retry_of: null,
        send_at: null,
        first_opened_at: null,
        open_count: 0,
        first_clicked_at: null,
        click_count: 0,
        ...{ cc: [], bcc: [], left_out: [], topic: null, tags: [], metadata: {} },
      },
      ...{ last_event_at: null, sandboxed: false, created_at: expect.stringMatching(/Z$/) },
    });
    expect((await project.api.get(`/contacts?q=${to}`)).body.totalCount).toBe(0);
  });

  test('goes to the contact rather than to the address when both are given', async () => {
    const [mine, other] = [project.address(), project.address()];
    const contactId = await newContact(project, mine);
    must(await send({ contactId, to: other }), 200);
    await arrived(mine);
    expect(await mailNow(other)).toEqual([]);
    expect((await logOf(mine))[0].contact_id).toBe(contactId);
  });

  test('reaches the unsubscribed and the bounced, whom marketing does not', async () => {
    for (const status of ['unsubscribed', 'bounced']) {
      const to = project.address();
      await newContact(project, to, { status });
      must(await send({ to }), 200);
      const refused = await send({ to, template: 'welcome' });
      expect([refused.status, refused.body.code, refused.body.reason]).toEqual([422, 'send_failed', status]);
      expect((await logOf(to)).map(({ status: outcome, error }: { status: string; error: string }) => [outcome, error])).toEqual([
        ['failed', status],
        ['sent', null],
      ]);
      expect(await mailTo(to)).toHaveLength(1);
    }
  });

  test('takes its subject from the call, its headers from nobody', async () => {
    const to = project.address();
    const subject = 'Hi {{ name }}\r\nBcc: victim@example.com\r\n\r\nbody';
    must(
      await send({ to, subject, data: { name: 'Zoë\r\nX-Evil: 1' }, from: { email: `a@${project.domain}`, name: 'Eve\r\nX-Evil: 2' } }),
      200,
    );
    const mail = await arrived(to);
    expect(mail.byName).not.toHaveProperty('bcc');
    expect(mail.byName).not.toHaveProperty('x-evil');
    expect(mail.subject).toMatch(/^Hi Zoë/);
    expect(mail.from?.address).toBe(`a@${project.domain}`);
  });
});

describe('a marketing mail', () => {
  test('has one-click unsubscribe, and an unknown address becomes a contact', async () => {
    const to = project.address();
    must(await send({ to, template: 'welcome', data: {} }), 200);
    const mail = await arrived(to);
    const link = /^<(.+)>$/.exec(mail.byName['list-unsubscribe']!)![1]!;
    expect(mail.byName).toMatchObject({
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      'list-id': `<${project.slug}.${project.domain}>`,
      precedence: 'bulk',
    });
    const { contacts } = (await project.api.get(`/contacts?q=${to}`)).body;
    expect(contacts).toMatchObject([{ email: to, status: 'subscribed', source: 'send', brand_id: project.slug }]);
    const { pathname, searchParams } = new URL(link);
    expect([pathname, searchParams.get('c'), searchParams.get('t')]).toEqual([
      '/api/v1/unsubscribe',
      contacts[0].id,
      expect.stringMatching(/^v1\./),
    ]);
    expect(mail.text).toContain('1 Test Street, Testville');
    expect(mail.text).toContain(`c=${contacts[0].id}`);
    expect((await logOf(to))[0]).toMatchObject({ type: 'marketing', contact_id: contacts[0].id });
  });

  test('is one by the type of the call, too', async () => {
    const [promoted, demoted] = [project.address(), project.address()];
    must(await send({ to: promoted, type: 'marketing' }), 200);
    must(await send({ to: demoted, template: 'welcome', type: 'transactional' }), 200);
    expect((await arrived(promoted)).byName).toHaveProperty('list-unsubscribe');
    const plain = await arrived(demoted);
    expect(plain.byName).not.toHaveProperty('list-unsubscribe');
    expect(plain.html).not.toContain('/api/v1/unsubscribe');
  });
});

describe('refusals, in their order', () => {
  test('each check comes before the next, and only those from the address on leave a row', async () => {
    const bare = await newProject({ noBrand: true });
    const nobody = randomUUID();
    const ask = async (body: object, on = bare) => {
      const answer = await send(body, on);
      return [answer.status, answer.body.code];
    };
    expect(await ask({ template: 'none' })).toEqual([422, 'invalid_request']);
    expect(await ask({ template: 'none', contactId: nobody })).toEqual([404, 'unknown_template']);
    expect(await ask({ contactId: nobody })).toEqual([404, 'not_found']);
    expect(await ask({ to: bare.address() })).toEqual([422, 'no_brand']);
    const em = await database();
    await setBrand(em, bare.id, 'main', { from_email: 'x@unverified.example' }, true);
    expect(await ask({ to: bare.address() })).toEqual([422, 'template_not_enabled']);
    await enableTemplates(bare, 'receipt');
    const suppressed = bare.address();
    must(await bare.api.post('/suppressions', { email: suppressed }), 201);
    expect(await ask({ to: suppressed })).toEqual([422, 'invalid_from']);
    expect((await bare.api.get('/sends')).body.sends).toEqual([]);
    await setBrand(em, bare.id, 'main', { from_email: `x@mail.${bare.domain}` }, true);
    expect(await ask({ to: suppressed, subject: '{{ unclosed' })).toEqual([422, 'send_failed']);
    expect((await logOf(suppressed, bare))[0]).toMatchObject({ status: 'failed', error: 'suppressed', subject: '', provider_id: null });
  });

  test('the body is checked whole', async () => {
    const to = project.address();
    for (const [body, path] of [
      [{}, 'to'],
      [{ to: 'nobody' }, 'to'],
      [{ contactId: 'x' }, 'contactId'],
      [{ to, template: 7 }, 'template'],
      [{ to, type: 'bulk' }, 'type'],
      [{ to, subject: 'x'.repeat(999) }, 'subject'],
      [{ to, data: [] }, 'data'],
      [{ to, brand: 'none' }, 'brand'],
      [{ to, from: { name: 'x' } }, 'from.email'],
      [{ to, from: { email: 'x' } }, 'from.email'],
      [{ to, idempotencyKey: 'x'.repeat(201) }, 'idempotencyKey'],
      [{ to, idempotencyKey: '' }, 'idempotencyKey'],
    ] as const) {
      const answer = await send(body);
      expect([path, answer.status, answer.body.code, answer.body.issues?.[0]?.path]).toEqual([path, 422, 'invalid_request', path]);
    }
    expect(await logOf(to)).toEqual([]);
  });

  test('a sender must be on a verified domain, exactly or below it', async () => {
    const em = await database();
    await setSendingDomain(em, { id: randomUUID(), projectId: project.id, domain: 'pending.example', verified: false });
    for (const [email, status] of [
      [`a@${project.domain}`, 200],
      [`a@deep.mail.${project.domain.toUpperCase()}`, 200],
      [`a@x${project.domain}`, 422],
      [`a@${project.domain}.evil.example`, 422],
      ['a@pending.example', 422],
      ['a@gmail.com', 422],
    ] as const) {
      const answer = await send({ to: project.address(), from: { email } });
      expect([email, answer.status, answer.body.code]).toEqual([email, status, status === 200 ? undefined : 'invalid_from']);
    }
  });

  test('a suppressed address is never submitted to the provider, whatever the type, as address or as contact', async () => {
    const to = project.address();
    const contactId = await newContact(project, to);
    await suppress(to);
    for (const body of [{ to }, { contactId }, { to, template: 'welcome' }]) {
      const answer = await send(body);
      expect([answer.status, answer.body.code, answer.body.reason]).toEqual([422, 'send_failed', 'suppressed']);
    }
    expect(await logOf(to)).toHaveLength(3);
    expect(await mailNow(to)).toEqual([]);
  });

  test('what cannot be rendered fails with a row and no mail', async () => {
    const to = project.address();
    const answer = await send({ to, subject: 'Hi {{ name | nosuchfilter }}' });
    expect([answer.status, answer.body.code, answer.body.reason]).toEqual([422, 'send_failed', 'render_failed']);
    expect(await logOf(to)).toMatchObject([{ status: 'failed', error: expect.stringMatching(/^render_failed: /), subject: '' }]);
    expect(await mailNow(to)).toEqual([]);
  });
});
