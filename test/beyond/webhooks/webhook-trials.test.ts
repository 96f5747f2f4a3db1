import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';
import { createEndpoint, deliveriesOf } from '../../support/webhook-endpoints.ts';

let project: TestProject;
let receiver: HttpReceiver;
beforeAll(async () => {
  [project, receiver] = await Promise.all([newProject(), startHttpReceiver()]);
});
afterAll(() => receiver.close());

const DATA = { email: 'ada@example.com', first_name: '', nested: [1, { two: null }] };

test('an event that is tried out is signed, marked, and answered with what came back', async () => {
  const { id, secret } = await createEndpoint(project, `${receiver.url}/tried`);
  const headers = { 'content-type': 'text/plain', 'set-cookie': 'session=s3cret' };
  receiver.answer('/tried', { status: 422, headers, body: 'first_name is empty' });
  const answer = must(await project.api.post(`/webhooks/${id}/ping`, { type: 'contact.subscribed', data: DATA }), 200);
  expect(answer).toMatchObject({ delivered: false, responseStatus: 422, milliseconds: expect.any(Number), error: null });
  expect(answer.response).toMatchObject({ body: 'first_name is empty', body_cut: false, headers: { 'content-type': 'text/plain' } });
  expect(JSON.stringify(answer)).not.toContain('s3cret');
  const [call] = receiver.calls('/tried');
  expect(call?.headers['everpost-test']).toBe('true');
  expect(new Webhook(secret).verify(call!.body, call!.headers)).toMatchObject({ type: 'contact.subscribed', data: DATA });
});

test('a trial is made once, also where it fails, and changes no delivery; a bare ping is what it was', async () => {
  const { id } = await createEndpoint(project, `${receiver.url}/once`);
  receiver.answer('/once', 500);
  must(await project.api.post(`/webhooks/${id}/ping`, { data: DATA }), 200);
  expect(must(await project.api.post(`/webhooks/${id}/ping`), 200)).toEqual({ ok: true, delivered: true, responseStatus: 200 });
  const calls = receiver.calls('/once');
  expect(calls.map(({ headers, body }) => [headers['everpost-test'], JSON.parse(body).type])).toEqual([
    ['true', 'webhook.ping'],
    [undefined, 'webhook.ping'],
  ]);
  expect(await deliveriesOf(project, id)).toEqual([]);
});

test.each([
  [{ type: 'something.else' }, 'type'],
  [{ data: [] }, 'data'],
  [{ data: { long: 'x'.repeat(65 * 1024) } }, 'data'],
])('what is no event, or too large, is refused before the endpoint is called', async (body, path) => {
  const { id } = await createEndpoint(project, `${receiver.url}/refused`);
  const { status, body: refused } = await project.api.post(`/webhooks/${id}/ping`, body);
  expect([status, refused.code, refused.issues[0].path]).toEqual([422, 'invalid_request', path]);
  expect(receiver.calls('/refused')).toEqual([]);
});

test('a request that never completed says why', async () => {
  const { id } = await createEndpoint(project, 'http://127.0.0.1:1/');
  const answer = must(await project.api.post(`/webhooks/${id}/ping`, { data: DATA }), 200);
  expect(answer).toMatchObject({ delivered: false, responseStatus: null, response: null, error: expect.stringMatching(/^network: /) });
});
