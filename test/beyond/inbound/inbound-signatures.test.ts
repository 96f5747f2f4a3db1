import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { postInbound, standardHeaders } from '../../support/inbound.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { outcome } from './reported.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

describe('the signature decides', () => {
  const signed = (body: string, over: Partial<Parameters<typeof standardHeaders>[1]> = {}) =>
    standardHeaders(body, { secret: project.inboundSecret, ...over });
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const without = (headers: Record<string, string>, name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

  test.each<[string, (body: string) => Record<string, string>]>([
    ['no signature', () => ({})],
    ['no id', (body) => without(signed(body), 'webhook-id')],
    ['no timestamp', (body) => without(signed(body), 'webhook-timestamp')],
    ['another secret', (body) => signed(body, { secret: `whsec_${randomUUID()}` })],
    ['another body', (body) => signed(`${body} `)],
    ['another id', (body) => ({ ...signed(body), 'webhook-id': 'other' })],
    ['a time that was not signed', (body) => ({ ...signed(body), 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 1) })],
    ['six minutes old', (body) => signed(body, { at: minutesAgo(6) })],
    ['six minutes ahead', (body) => signed(body, { at: minutesAgo(-6) })],
    ['no number for a time', (body) => ({ ...signed(body), 'webhook-timestamp': 'NaN' })],
    ['another scheme', (body) => ({ ...signed(body), 'webhook-signature': signed(body)['webhook-signature']!.replace('v1,', 'v2,') })],
    ['a signature of nothing', (body) => ({ ...signed(body), 'webhook-signature': `v1,${createHmac('sha256', '').digest('base64')}` })],
  ])('%s: 401 and nothing changes', async (_, headersFor) => {
    const mail = await sendMail(project);
    const body = JSON.stringify({ type: 'complained', providerId: mail.providerId, timestamp: new Date().toISOString() });
    expect(await postInbound(project, 'generic', body, headersFor(body))).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(await outcome(project, mail)).toEqual({ delivery: null, contact: 'subscribed', suppression: undefined });
  });

  test('one right signature among several is enough, and four minutes are not too old', async () => {
    const { providerId } = await sendMail(project);
    const body = JSON.stringify({ type: 'delivered', providerId, timestamp: new Date().toISOString() });
    const headers = signed(body, { at: minutesAgo(4) });
    const several = { ...headers, 'webhook-signature': `v1,bm90IGl0 ${headers['webhook-signature']}` };
    expect((await postInbound(project, 'generic', body, several)).status).toBe(200);
  });

  test("another project's secret never works", async () => {
    const body = JSON.stringify({ type: 'delivered', providerId: 'x', timestamp: new Date().toISOString() });
    const { inboundSecret: secret } = await newProject();
    expect((await postInbound(project, 'generic', body, standardHeaders(body, { secret }))).status).toBe(401);
  });

  test('an unknown address or provider is 404', async () => {
    expect((await postInbound({ inboundId: 'unknown' }, 'generic', '{}')).status).toBe(404);
    expect((await postInbound(project, 'pigeon', '{}')).status).toBe(404);
  });

  test.each([
    'not JSON',
    '[]',
    '{}',
    '{"type":"delivered","providerId":"x"}',
    '{"type":"sneezed","providerId":"x","timestamp":"2026-01-01T00:00:00Z"}',
    '{"type":"delivered","providerId":"","timestamp":"2026-01-01T00:00:00Z"}',
    '{"type":"delivered","providerId":"x","timestamp":"yesterday"}',
    '{"type":"bounced","providerId":"x","timestamp":"2026-01-01T00:00:00Z","bounce":{"kind":"medium"}}',
  ])('signed, but no event: %s is 422', async (body) => {
    expect(await postInbound(project, 'generic', body, signed(body))).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  });

  test('the answer tells every problem with its path', async () => {
    const body = '{"type":"bounced","timestamp":"yesterday","bounce":{"kind":"medium"}}';
    const answer = await postInbound(project, 'generic', body, signed(body));
    expect((answer.body as { issues: unknown }).issues).toEqual([
      { path: 'providerId', message: 'required' },
      { path: 'timestamp', message: 'not a timestamp in ISO 8601, like 2026-01-31T12:00:00Z' },
      { path: 'bounce.kind', message: 'one of hard, soft' },
    ]);
  });

  test('characters that the database cannot hold do no harm', async () => {
    const body = '{"type":"delivered","providerId":"a\\u0000b\\ud800","timestamp":"2026-01-01T00:00:00Z"}';
    expect((await postInbound(project, 'generic', body, signed(body))).status).toBe(200);
  });
});
