import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebhookAnswer } from '../../../db/entities/index.ts';
import { listening } from '../../api/webhooks/listening.ts';
import { eventually } from '../../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { database } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';
import { deliveriesOf, deliveriesSettle } from '../../support/webhook-endpoints.ts';

let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

const SECRETS = {
  'set-cookie': 'session=s3cret',
  authorization: 'Bearer s3cret',
  'www-authenticate': 'Basic s3cret',
  'x-api-key': 's3cret',
};

async function answered(path: string, keepAnswers: boolean) {
  const { own, id, subscribe, patch } = await listening(receiver, path);
  if (keepAnswers) expect(await patch({ keepAnswers })).toMatchObject({ keep_answers: true });
  const read = async (deliveryId: string) => must(await own.api.get(`/webhooks/${id}/deliveries/${deliveryId}`), 200).delivery;
  return { own, id, subscribe, patch, read };
}

test('of a refusal the headers are kept that carry no secrets, and of no answer a body unless the endpoint asks for it', async () => {
  const { own, id, subscribe, read } = await answered('/headers', false);
  const headers = { 'content-type': 'text/plain', 'x-request-id': 'r-1', 'x-other': 'o', ...SECRETS };
  receiver.answer('/headers', { status: 500, headers, body: 'out of order' }, { status: 200, headers, body: 'fine' });
  await subscribe('headers');
  const [{ id: deliveryId }] = (await deliveriesSettle(own, id, 1, { timeoutMs: 60_000 })) as [{ id: string }];
  const [refused, taken] = (await read(deliveryId)).attempt_log;
  expect(refused).toMatchObject({ status: 500, milliseconds: expect.any(Number), response: { body: null, body_cut: false } });
  expect(refused.response.headers).toMatchObject({ 'content-type': 'text/plain', 'x-request-id': 'r-1' });
  expect(Object.keys(refused.response.headers)).not.toContain('x-other');
  expect(taken).toMatchObject({ status: 200, response: null });
  const stored = await (await database()).find(WebhookAnswer, { delivery_id: deliveryId });
  expect(JSON.stringify(stored)).not.toMatch(/s3cret|out of order|fine/);
  expect(JSON.stringify(await deliveriesOf(own, id))).not.toContain('response":');
});

test('an endpoint that asks for it has the first 2 KB of each body, in which nothing moves a cursor, and no more once it does not', async () => {
  const { own, id, subscribe, patch, read } = await answered('/bodies', true);
  const raw = Buffer.concat([Buffer.from('a\0b\x1b[31m\u202e\t\n'), Buffer.of(0xff), Buffer.from('ü')]);
  const long = `${'x'.repeat(2_047)}ü and more`;
  receiver.answer(
    '/bodies',
    { status: 500, headers: {}, body: raw },
    { status: 500, headers: {}, body: long },
    { status: 200, headers: {}, body: '{"ok":1}' },
  );
  await subscribe('bodies');
  const [{ id: deliveryId }] = (await deliveriesSettle(own, id, 1, { timeoutMs: 60_000 })) as [{ id: string }];
  const log = (await read(deliveryId)).attempt_log;
  expect(log.map(({ response }: { response: { body: string; body_cut: boolean } }) => [response.body, response.body_cut])).toEqual([
    ['a\u2400b\u241b[31m\ufffd\t\n\ufffdü', false],
    ['x'.repeat(2_047), true],
    ['{"ok":1}', false],
  ]);
  expect(await patch({ keepAnswers: false })).not.toHaveProperty('keep_answers');
  receiver.answer('/bodies', { status: 200, headers: {}, body: 'later' });
  await subscribe('later');
  const [later] = await deliveriesSettle(own, id, 2, { timeoutMs: 60_000 });
  expect((await read(later.id)).attempt_log).toMatchObject([{ status: 200, response: null }]);
});

test('an erased contact leaves no answer, not even one that comes after the erasure', async () => {
  const { own, id, subscribe, read } = await answered('/erased', true);
  const body = own.address('erased');
  const gate = Promise.withResolvers<void>();
  receiver.answer('/erased', { status: 500, headers: {}, body }, { status: 200, headers: {}, body });
  await subscribe('erased');
  const delivery = await eventually(async () => {
    const [found] = await deliveriesOf(own, id);
    return found?.attempts === 1 && found;
  });
  expect((await read(delivery.id)).attempt_log[0].response.body).toBe(body);
  receiver.holdUp('/erased', gate.promise);
  must(await own.api.post(`/webhooks/${id}/deliveries/${delivery.id}/attempt`), 200);
  await eventually(() => receiver.calls('/erased').length === 2);
  must(await own.api.call('DELETE', `/contacts/${delivery.payload.data.id}`), 200);
  await eventually(async () => (await read(delivery.id)).payload.data.erased === true);
  const em = await database();
  expect(await em.count(WebhookAnswer, { delivery_id: delivery.id })).toBe(0);
  gate.resolve();
  await deliveriesSettle(own, id, 1, { timeoutMs: 60_000 });
  expect((await read(delivery.id)).attempt_log.map(({ response }: { response: unknown }) => response)).toEqual([null, null]);
  expect(await em.fork().count(WebhookAnswer, { delivery_id: delivery.id })).toBe(0);
});
