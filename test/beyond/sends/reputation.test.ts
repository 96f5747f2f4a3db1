import { beforeAll, expect, test } from 'vitest';
import { setInboundSetting } from '../../../db/queries/inbound/inbound-settings.ts';
import { createVault } from '../../../domain/projects/crypto.ts';
import { campaignEnds, newCampaign } from '../../support/campaigns.ts';
import { testEnvironment } from '../../support/environment.ts';
import { postInbound, report, standardHeaders } from '../../support/inbound.ts';
import { scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { resendSample } from '../../support/provider-samples.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const NOTHING = {
  sent: 0,
  rejected: 0,
  delivered: 0,
  deferred: 0,
  bounced: { hard: 0, soft: 0 },
  complained: 0,
  bounce_rate: null,
  complaint_rate: null,
};

const statsBy = async (by: string, of = project, period = '24h') => must(await of.api.get(`/stats?by=${by}&period=${period}`), 200);

/** Sends one mail. Its provider id. */
async function sent(to: string, of = project): Promise<string> {
  return must(await of.api.post('/send', { to, template: 'receipt' }), 200).id;
}

test('what providers report counts by sending domain and receiver, each report once and in any order, and for the own project only', async () => {
  const other = await newProject();
  await enableTemplates(other, 'receipt');
  const name = project.slug;
  const [delivered, hard, soft, complained, plain] = await Promise.all([
    sent(`${name}-a@gmail.com`),
    sent(`${name}-b@googlemail.com`),
    sent(`${name}-c@gmail.com`),
    sent(`${name}-d@hotmail.fr`),
    sent(`${name}-e@to.example`),
  ]);
  await sent(`${name}-f@gmail.com`, other);
  await report(project, { type: 'delivered', providerId: delivered }, 'one');
  await report(project, { type: 'delivered', providerId: delivered }, 'one');
  await report(project, { type: 'delivered', providerId: delivered }, 'another');
  // Soft first, then hard: it is hard. Delivered is told last, and late.
  await report(project, { type: 'bounced', providerId: hard, bounce: { kind: 'soft' } });
  await report(project, { type: 'bounced', providerId: hard, bounce: { kind: 'hard' } });
  await report(project, { type: 'bounced', providerId: hard, bounce: { kind: 'soft' } });
  await report(project, { type: 'delivered', providerId: hard });
  await report(project, { type: 'bounced', providerId: soft, bounce: { kind: 'soft' } });
  await report(project, { type: 'complained', providerId: complained });
  await report(project, { type: 'delivered', providerId: complained });
  // Of a mail of this project another project's secret says nothing.
  await report(other, { type: 'complained', providerId: plain });
  const rates = (bounces: number, complaints: number) => ({ bounce_rate: bounces, complaint_rate: complaints, state: null });
  expect((await statsBy('receiver')).byReceiver).toEqual([
    { ...NOTHING, receiver: 'gmail.com', sent: 3, delivered: 1, bounced: { hard: 1, soft: 1 }, ...rates(2 / 3, 0) },
    { ...NOTHING, receiver: 'outlook.com', sent: 1, complained: 1, ...rates(0, 1) },
    { ...NOTHING, receiver: 'to.example', sent: 1, ...rates(0, 0) },
  ]);
  for (const period of ['24h', '7d', '30d'])
    expect(await statsBy('domain', project, period)).toMatchObject({
      totals: { sent: 5, bounced: 2, complained: 1 },
      byDomain: [
        {
          domain: project.domain,
          sent: 5,
          rejected: 0,
          delivered: 1,
          deferred: 0,
          bounced: { hard: 1, soft: 1 },
          complained: 1,
          ...rates(0.4, 0.2),
        },
      ],
      others: null,
    });
  expect((await statsBy('receiver', other)).byReceiver).toEqual([{ ...NOTHING, receiver: 'gmail.com', sent: 1, ...rates(0, 0) }]);
});

test('without `by` nothing is said of domains and receivers; another word is refused', async () => {
  const plain = must(await project.api.get('/stats'), 200);
  expect(
    Object.keys(plain)
      .filter((key) => key !== 'ok')
      .sort(),
  ).toEqual(['bucket', 'counts', 'totals']);
  expect((await project.api.get('/stats?by=brand')).status).toBe(422);
});

test('mail that never left is no reputation', async () => {
  const tried = await newProject();
  await enableTemplates(tried, 'receipt');
  const { api } = await tried.newKey(['*'], true);
  must(await api.post('/send', { to: tried.address(), template: 'receipt' }), 200);
  must(await tried.api.post('/send', { to: 'complained@everpost.test', template: 'receipt' }), 200);
  expect(await statsBy('domain', tried)).toMatchObject({ totals: { sent: 2 }, byDomain: [], others: null });
  expect(await statsBy('receiver', tried)).toMatchObject({ byReceiver: [], others: null });
});

test('a refused address is a hard bounce of a mail that was not sent, and a mail that was put off stays so when it is delivered', async () => {
  const tried = await newProject();
  await enableTemplates(tried, 'receipt');
  const refused = tried.address('refused');
  await scriptMail(refused, { rejectRecipient: { code: 550, message: '5.1.1 no such user' } });
  expect((await tried.api.post('/send', { to: refused, template: 'receipt' })).body.reason).toBe('provider_rejected');
  const policy = tried.address('policy');
  await scriptMail(policy, { rejectRecipient: { code: 550, message: '5.7.1 not from you' } });
  expect((await tried.api.post('/send', { to: policy, template: 'receipt' })).body.reason).toBe('provider_rejected');
  const late = await sent(tried.address('late'), tried);
  const secret = `whsec_${Buffer.from('a secret of Resend, long enough').toString('base64')}`;
  await setInboundSetting(await database(), createVault(Buffer.from(testEnvironment().secretKey, 'base64')), {
    ...{ projectId: tried.id, provider: 'resend', value: secret },
  });
  for (const type of ['email.sent', 'email.delivery_delayed', 'email.delivered']) {
    const body = JSON.stringify(resendSample(type, late));
    expect((await postInbound(tried, 'resend', body, standardHeaders(body, { secret }))).status).toBe(200);
  }
  const taken = await sent(tried.address('taken'), tried);
  const body = JSON.stringify(resendSample('email.sent', taken));
  await postInbound(tried, 'resend', body, standardHeaders(body, { secret }));
  expect((await statsBy('domain', tried)).byDomain).toEqual([
    {
      ...NOTHING,
      ...{ domain: tried.domain, sent: 2, rejected: 1, delivered: 1, deferred: 1, bounced: { hard: 1, soft: 0 } },
      ...{ bounce_rate: 1 / 3, complaint_rate: 0, state: null },
    },
  ]);
});

test('mails of a campaign count by sending domain and receiver, with the state of a hundred', async () => {
  const many = await newProject();
  await enableTemplates(many, 'newsletter');
  const emails = Array.from({ length: 100 }, (_, n) => `${many.slug}-${n}@${n < 60 ? 'gmail.com' : 'to.example'}`);
  const id = await newCampaign(many, { audience: { mode: 'people', emails } });
  expect(await campaignEnds(many, id)).toMatchObject({ status: 'sent', sent_count: 100 });
  const { sends } = must(await many.api.get(`/sends?q=${many.slug}-1@gmail.com`), 200);
  await report(many, { type: 'complained', providerId: sends[0].provider_id });
  expect(await statsBy('domain', many)).toMatchObject({
    byDomain: [{ domain: many.domain, sent: 100, complained: 1, complaint_rate: 0.01, state: 'critical' }],
  });
  expect((await statsBy('receiver', many)).byReceiver).toMatchObject([
    { receiver: 'gmail.com', sent: 60, complained: 1, state: null },
    { receiver: 'to.example', sent: 40, complained: 0, state: null },
  ]);
});
