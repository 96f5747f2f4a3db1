import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setInboundSetting } from '../../../db/queries/inbound/inbound-settings.ts';
import { createVault } from '../../../domain/projects/crypto.ts';
import { type ApiHere, startApiHere } from '../../support/api-here.ts';
import { testEnvironment } from '../../support/environment.ts';
import { postInbound } from '../../support/inbound.ts';
import { type MailApiServer, startMailgun, startPostmark, startSendgrid, type TakenByApi } from '../../support/mail-apis.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { mailgunSample, postmarkSample, sendgridSamples } from '../../support/provider-samples.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const SIGNING_KEY = 'a-signing-key-of-mailgun';

/** A provider's API, what an operator stores for its events, and the request by which it tells of a delivery. */
interface Provider {
  start(): Promise<MailApiServer>;
  readonly setting: string;
  delivered(mail: TakenByApi, isNamed: boolean): { readonly body: string; readonly headers: Readonly<Record<string, string>> };
}

const JSON_TYPE = { 'content-type': 'application/json' };

const PROVIDERS = {
  postmark: {
    start: startPostmark,
    setting: 'hook:a-long-password-of-it',
    delivered: ({ id, sendId }, isNamed) => ({
      body: JSON.stringify({ ...postmarkSample('Delivery', id), Metadata: isNamed ? { everpost_send_id: sendId } : {} }),
      headers: { ...JSON_TYPE, authorization: `Basic ${Buffer.from('hook:a-long-password-of-it').toString('base64')}` },
    }),
  },
  sendgrid: {
    start: startSendgrid,
    setting: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    delivered({ id, sendId, mail }, isNamed) {
      const [sample] = sendgridSamples(id).filter(({ event }) => event === 'delivered');
      const event = {
        ...sample,
        sg_event_id: randomUUID(),
        sg_message_id: `${id}.recvd-84c5b5c4b5-4xg8w-1-6553B1A3-5.0`,
        // What SendGrid makes of a Message-ID is another one where it does not keep ours.
        'smtp-id': isNamed ? mail.headers['Message-ID'] : '<other@geopod-ismtpd-1>',
        ...(isNamed ? { everpost_send_id: sendId } : {}),
      };
      const [at, body] = ['1600112502', JSON.stringify([event])];
      return {
        body,
        headers: {
          ...JSON_TYPE,
          'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(at + body), privateKey).toString('base64'),
          'x-twilio-email-event-webhook-timestamp': at,
        },
      };
    },
  },
  mailgun: {
    start: startMailgun,
    setting: SIGNING_KEY,
    delivered({ id, sendId }, isNamed) {
      const sample = mailgunSample('delivered', id, isNamed ? { everpost_send_id: sendId } : {});
      const [timestamp, token] = [String(Math.floor(Date.now() / 1000)), randomUUID()];
      const signature = createHmac('sha256', SIGNING_KEY)
        .update(timestamp + token)
        .digest('hex');
      return { body: JSON.stringify({ signature: { timestamp, token, signature }, ...sample }), headers: JSON_TYPE };
    },
  },
} satisfies Readonly<Record<string, Provider>>;

describe.each(Object.keys(PROVIDERS) as (keyof typeof PROVIDERS)[])('%s', (name) => {
  const { start, setting, delivered }: Provider = PROVIDERS[name];
  let server: MailApiServer;
  let here: ApiHere;
  let project: TestProject;
  beforeAll(async () => {
    server = await start();
    here = await startApiHere({ EMAIL_PROVIDER_URL: server.providerUrl });
    project = await newProject({ everpost: here });
    const vault = createVault(Buffer.from(testEnvironment().secretKey, 'base64'));
    await setInboundSetting(await database(here.databaseUrl), vault, { projectId: project.id, provider: name, value: setting });
  });
  afterAll(async () => {
    await here?.stop();
    await server?.close();
  });

  test.each([
    ['by the id that it was answered', false],
    ['by the id of its send beside it', true],
  ])('what it tells of a mail that was submitted to it counts on that send, %s', async (_, isNamed) => {
    const to = project.address();
    const content = { html: '<p>Grüße</p>', subject: 'Grüße', type: 'transactional' };
    const sent = await project.api.post('/send', { ...content, to });
    expect(sent).toMatchObject({ status: 200 });
    const [mail] = server.taken.filter(({ recipients }) => recipients.includes(to)) as [TakenByApi];
    const { body, headers } = delivered(mail, isNamed);
    expect(await postInbound(project, name, body, headers, here.url)).toEqual({
      status: 200,
      body: { ok: true, received: 1, matched: 1 },
    });
    const [row] = (await project.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends;
    expect(row).toMatchObject({ id: mail.sendId, delivery_status: 'delivered' });
    expect(row.provider_id).toBe(mail.id.replace(/^<|>$/g, ''));
  });

  test('what it tells of a mail that it took, and whose answer was lost, says that the mail had left', async () => {
    const to = project.address();
    server.next({ lost: 'hang up' });
    await project.api.post('/send', { html: '<p>Hello</p>', subject: 'Hello', type: 'transactional', to });
    const rowOf = async () => (await project.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends[0];
    expect(await rowOf()).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/), provider_id: null });
    const [mail, ...others] = server.taken.filter(({ recipients }) => recipients.includes(to)) as [TakenByApi];
    expect(others).toEqual([]);
    const { body, headers } = delivered(mail, true);
    expect((await postInbound(project, name, body, headers, here.url)).body).toEqual({ ok: true, received: 1, matched: 1 });
    const providerId = mail.id.replace(/^<|>$/g, '');
    expect(await rowOf()).toMatchObject({ status: 'sent', delivery_status: 'delivered', provider_id: providerId });
  });
});
