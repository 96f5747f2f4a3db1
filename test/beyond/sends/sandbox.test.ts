import { beforeAll, describe, expect, test } from 'vitest';
import { Project } from '../../../db/entities/index.ts';
import { SANDBOX_DOMAIN } from '../../../domain/sends/sandbox.ts';
import { api } from '../../support/api.ts';
import { campaignEnds, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { mailCount } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact, newSequence } from '../../support/sequences.ts';
import { listenForEvents } from '../../support/webhook-events.ts';
import { logOf, reasonOf, statusOf } from '../inbound/reported.ts';

let live: TestProject;
let sandbox: TestProject;

beforeAll(async () => {
  [live, sandbox] = [await newProject(), await newProject()];
  await (await database()).nativeUpdate(Project, { id: sandbox.id }, { sandbox: true });
  for (const project of [live, sandbox]) await enableTemplates(project, 'receipt', 'welcome', 'newsletter');
});

let labels = 0;
const playing = (part: string): string => `${part}+${labels++}-${live.slug}@${SANDBOX_DOMAIN}`;

const send = (to: string, on = live, template = 'receipt') => on.api.post('/send', { template, to });

/** The row of the mail to the address, when the report about it has come. */
async function reported(to: string, on = live) {
  return eventually(async () => {
    const row = await logOf(on, to);
    return row?.delivery_status && row;
  });
}

/** What the webhooks of a project are told of mails to an address. */
async function listening(project: TestProject): Promise<(to: string) => Promise<unknown[]>> {
  const events = await listenForEvents(project);
  return async (to) =>
    (await events())
      .filter(({ data }) => (data as { email?: string }).email === to && (data as { send_id?: string }).send_id !== undefined)
      .map(({ type, data }) => [type, (data as { sandboxed?: boolean }).sandboxed, (data as { bounce?: unknown }).bounce]);
}

describe('a mail to a reserved address never leaves', () => {
  const HARD = { kind: 'hard', code: '5.1.1' };
  test.each([
    { part: 'delivered', status: 'delivered', contact: 'subscribed', suppression: undefined, told: ['email.delivered', true, undefined] },
    { part: 'bounced', status: 'bounced', contact: 'bounced', suppression: 'bounce', told: ['email.bounced', true, HARD] },
    {
      part: 'complained',
      status: 'complained',
      contact: 'unsubscribed',
      suppression: 'complaint',
      told: ['email.complained', true, undefined],
    },
    { part: 'anybody', status: 'delivered', contact: 'subscribed', suppression: undefined, told: ['email.delivered', true, undefined] },
  ])(
    '$part@ is $status, with contact, suppression and webhooks as of a real report',
    async ({ part, status, contact, suppression, told }) => {
      const to = playing(part);
      const events = await listening(live);
      await newContact(live, to);
      const { id } = must(await send(to.toUpperCase()), 200);
      const row = await reported(to);
      expect(row).toMatchObject({ status: 'sent', sandboxed: true, provider_id: id, delivery_status: status, to_email: to });
      expect([await statusOf(live, to), await reasonOf(live, to)]).toEqual([contact, suppression]);
      expect(await events(to)).toEqual([['email.sent', true, undefined], told]);
      const { send: read } = must(await live.api.get(`/sends/${id}`), 200);
      expect(read.events).toMatchObject([{ type: status, provider: 'sandbox', bounce: status === 'bounced' ? HARD : null }]);
      expect(await mailCount(to)).toBe(0);
      // As after a real one, the next mail to who has bounced or complained is refused.
      expect((await send(to)).body.reason).toBe(suppression && 'suppressed');
    },
  );

  test.each([
    { part: 'delivered', played: [] },
    { part: 'opened', played: ['opened'] },
    { part: 'clicked', played: ['opened', 'clicked'] },
  ])('$part@ of a mail whose opens and clicks are counted plays: $played, with counters and webhooks', async ({ part, played }) => {
    const events = await listenForEvents(live);
    const to = playing(part);
    await newContact(live, to);
    const body = {
      type: 'marketing',
      subject: 'News',
      html: '<a href="mailto:a@b.example">us</a> <a href="{{ first }}">1</a> <a href="https://x.example/2">2</a>',
    };
    const { id } = must(await live.api.post('/send', { ...body, to, data: { first: 'https://x.example/1?a=b&c' } }), 200);
    const told = async () => (await events()).filter(({ data }) => (data as { provider_id?: string }).provider_id === id);
    await eventually(async () => (await told()).length === 2 + played.length);
    expect((await told()).map(({ type }) => type).sort()).toEqual(['delivered', 'sent', ...played].map((type) => `email.${type}`).sort());
    expect(await logOf(live, to)).toMatchObject({
      delivery_status: 'delivered',
      open_count: Number(played.includes('opened')),
      click_count: Number(played.includes('clicked')),
    });
    const click = (await told()).find(({ type }) => type === 'email.clicked');
    expect((click?.data as { url?: string } | undefined)?.url).toBe(played.includes('clicked') ? 'https://x.example/1?a=b&c' : undefined);
  });

  test('of a mail whose opens and clicks are not counted nobody is known to have opened or clicked', async () => {
    const to = playing('clicked');
    const { id } = must(
      await live.api.post('/send', { to, type: 'transactional', subject: 'Hello', html: '<a href="https://x.example">1</a>' }),
      200,
    );
    await reported(to);
    expect(must(await live.api.get(`/sends/${id}`), 200).send.events.map(({ type }: { type: string }) => type)).toEqual(['delivered']);
  });

  test.each(['suppressed', 'suppressed+order.7'])('%s@ is answered as a suppressed recipient, and nothing lifts it', async (local) => {
    const to = `${local}@${SANDBOX_DOMAIN}`;
    const { status, body } = await send(to);
    expect([status, body.code, body.reason]).toEqual([422, 'send_failed', 'suppressed']);
    expect(body.error).toContain('nothing lifts it');
    expect(await logOf(live, to)).toMatchObject({ status: 'failed', error: 'suppressed', sandboxed: true, provider_id: null });
  });

  test('neither a name that only looks like one nor an address below it is reserved', async () => {
    for (const domain of [`x${SANDBOX_DOMAIN}`, `${SANDBOX_DOMAIN}.example`, `mail.${SANDBOX_DOMAIN}`]) {
      const to = `bounced+${live.slug}@${domain}`;
      must(await send(to), 200);
      expect(await logOf(live, to)).toMatchObject({ sandboxed: false, delivery_status: null });
      expect(await mailCount(to)).toBe(1);
    }
  });

  test('its recipient in a campaign plays its part, and the others get their mail', async () => {
    const { tag, emails } = await newAudience(live, 2);
    const parts = ['delivered', 'bounced', 'complained', 'suppressed'].map((part) => [part, playing(part)] as const);
    for (const [, email] of parts) await newContact(live, email, { tags: [tag] });
    const campaign = await newCampaign(live, { audience: { mode: 'tag', tag }, send: true });
    expect(await campaignEnds(live, campaign)).toMatchObject({ status: 'sent', sent_count: 5, failed_count: 0 });
    for (const [part, email] of parts.slice(0, 3))
      expect(await reported(email)).toMatchObject({ sandboxed: true, delivery_status: part, source_id: campaign });
    expect(await logOf(live, parts[3]![1])).toBeUndefined();
    for (const email of emails) expect([await mailCount(email), (await logOf(live, email)).sandboxed]).toEqual([1, false]);
  });
});

describe('no mail of a sandbox leaves', () => {
  test('of POST /send, a test, a campaign and a sequence each is sent and delivered, and GET /sends finds them', async () => {
    const [called, tested, run] = [sandbox.address(), sandbox.address(), sandbox.address()];
    must(await send(called, sandbox), 200);
    must(await sandbox.api.post('/templates/welcome/test', { to: tested }), 200);
    const { tag, emails } = await newAudience(sandbox, 3);
    const campaign = await newCampaign(sandbox, { audience: { mode: 'tag', tag }, send: true });
    await newContact(sandbox, run);
    await (await newSequence(sandbox, { steps: [{ template: 'welcome', delayMinutes: 0 }] })).enroll(run);
    await campaignEnds(sandbox, campaign);
    for (const to of [called, tested, run, ...emails]) {
      expect(await reported(to, sandbox)).toMatchObject({ status: 'sent', sandboxed: true, delivery_status: 'delivered' });
      expect(await mailCount(to)).toBe(0);
    }
    const found = async (sandboxed: string) => must(await sandbox.api.get(`/sends?sandboxed=${sandboxed}`), 200).sends.length;
    expect([await found('true'), await found('false')]).toEqual([6, 0]);
    expect((await sandbox.api.get('/sends?sandboxed=yes')).status).toBe(422);
  });

  test('one that cannot be rendered fails as ever, and its row says that it was of the sandbox', async () => {
    const to = sandbox.address();
    expect((await sandbox.api.post('/send', { template: 'password-reset', to })).body.code).toBe('template_not_enabled');
    await enableTemplates(sandbox, 'password-reset');
    expect((await sandbox.api.post('/send', { template: 'password-reset', to })).body.reason).toBe('render_failed');
    expect(await logOf(sandbox, to)).toMatchObject({ status: 'failed', sandboxed: true });
  });

  test('from the answer of `project set` on its mails leave again; GET /me says what it is', async () => {
    const [project, em] = [await newProject(), await database()];
    await enableTemplates(project, 'receipt');
    const told = async () => must(await project.api.get('/me'), 200).project.sandbox;
    for (const sandboxed of [true, false]) {
      await em.nativeUpdate(Project, { id: project.id }, { sandbox: sandboxed });
      const to = project.address();
      must(await send(to, project), 200);
      expect([await told(), (await logOf(project, to)).sandboxed, await mailCount(to)]).toEqual([sandboxed, sandboxed, sandboxed ? 0 : 1]);
    }
  });
});

describe('no mail that a test key asks for leaves', () => {
  let tester: TestProject['api'];
  let key: string;
  beforeAll(async () => {
    ({ api: tester, key } = await live.newKey(['*'], true));
    await enableTemplates(live, 'password-reset');
  });

  test('of POST /send and of the test route: its row is sent, sandboxed and delivered, and GET /me says what the key is', async () => {
    const [called, tested] = [live.address(), live.address()];
    const { id } = must(await tester.post('/send', { template: 'receipt', to: called }), 200);
    must(await tester.post('/templates/welcome/test', { to: tested }), 200);
    for (const to of [called, tested]) {
      expect(await reported(to)).toMatchObject({ status: 'sent', sandboxed: true, delivery_status: 'delivered' });
      expect(await mailCount(to)).toBe(0);
    }
    expect((await logOf(live, called)).provider_id).toBe(id);
    expect(must(await tester.get('/me'), 200)).toMatchObject({ key: { is_test: true }, project: { sandbox: false } });
    expect(must(await live.api.get('/me'), 200).key.is_test).toBe(false);
  });

  test('it is a key of its own: with the other beginning nobody knows it', async () => {
    expect(key).toMatch(/^ep_test_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/);
    for (const other of [key.replace('ep_test_', 'ep_live_'), live.key.replace('ep_live_', 'ep_test_')])
      expect((await api(other).get('/me')).status).toBe(401);
  });

  test('an idempotency key that it has used is free for the mail that is to go', async () => {
    const to = live.address();
    const mail = { template: 'receipt', to, idempotencyKey: 'order-1' };
    const tried = must(await tester.post('/send', mail), 200);
    expect(must(await tester.post('/send', mail), 200)).toEqual(tried);
    expect((await tester.post('/send', { ...mail, data: { total: '1' } })).body.code).toBe('idempotency_key_reuse');
    const sent = must(await live.api.post('/send', mail), 200);
    expect(sent.id).not.toBe(tried.id);
    expect(await mailCount(to)).toBe(1);
    expect(must(await live.api.get(`/sends?q=${encodeURIComponent(to)}`), 200).sends).toHaveLength(2);
    // Even where a caller writes its key as a test key's is kept.
    expect((await live.api.post('/send', { ...mail, idempotencyKey: 'ep_test order-1' })).body.code).toBe('idempotency_key_reuse');
  });

  test('one that failed does not leave either when people send it again with another key', async () => {
    const to = live.address();
    expect((await tester.post('/send', { template: 'password-reset', to })).body.reason).toBe('render_failed');
    const { id } = await logOf(live, to);
    must(await live.api.post(`/sends/${id}/retry`, { data: { resetUrl: 'https://example.com/r' } }), 200);
    expect(await reported(to)).toMatchObject({ status: 'sent', sandboxed: true, retry_of: id });
    expect(await mailCount(to)).toBe(0);
  });
});
