import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api } from '../support/api.ts';
import { testEnvironment } from '../support/environment.ts';
import { newProject, type TestProject } from '../support/project.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const envelope = (code: string) => ({ ok: false, error: expect.any(String), code });

describe('bodies', () => {
  const post = (body: string, type: string | undefined = 'application/json') =>
    project.api.call('POST', '/contacts', body, { headers: { 'content-type': type } });

  test('anything but application/json is 415, before the body is looked at', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/vnd.api+json']) {
      const { status, body } = await post('{broken', type);
      expect({ type, status, body }).toEqual({ type, status: 415, body: envelope('unsupported_media_type') });
    }
    expect((await project.api.call('POST', '/contacts')).body.code).toBe('unsupported_media_type');
    expect((await post(JSON.stringify({ email: project.address() }), 'Application/JSON; charset=utf-8')).status).toBe(200);
  });

  test('what is not JSON, or not an object where one is due, is 400', async () => {
    for (const body of ['', '{', 'null', '1', '"x"', 'true', '{"email":}', '[1', 'NaN']) {
      const answer = await post(body);
      expect({ body, status: answer.status, answer: answer.body }).toEqual({ body, status: 400, answer: envelope('invalid_json') });
    }
    expect((await project.api.post('/send', [])).body).toEqual(envelope('invalid_json'));
    expect((await project.api.post('/contacts', [])).body.code).toBe('invalid_request');
  });

  test('more than 5 MB is 413, declared or not; 5 MB is read', async () => {
    const large = 'x'.repeat(5 * 1024 * 1024 + 1);
    expect(await raw(large)).toEqual({ status: 413, code: 'payload_too_large' });
    expect(await raw(large, true)).toEqual({ status: 413, code: 'payload_too_large' });
    expect(await raw(large.slice(1))).toEqual({ status: 400, code: 'invalid_json' });
  });

  test('a request that is not valid names every problem, the first in the message', async () => {
    const { status, body } = await project.api.post('/contacts', [
      { email: project.address() },
      { email: 'nobody' },
      { email: project.address(), tags: ['', 7] },
    ]);
    expect(status).toBe(422);
    expect(body).toEqual({
      ...envelope('invalid_request'),
      error: 'contacts[1].email: not a valid address',
      issues: [
        { path: 'contacts[1].email', message: 'not a valid address' },
        { path: 'contacts[2].tags[0]', message: '1 to 64 characters' },
        { path: 'contacts[2].tags[1]', message: expect.any(String) },
      ],
    });
    const single = await project.api.post('/contacts', {});
    expect(single.body.issues).toEqual([{ path: 'email', message: 'required' }]);
    const worded = await project.api.post('/contacts', { firstName: 7, status: 'gone', tags: 'x', resubscribe: 'yes', attributes: [] });
    expect(worded.body.issues).toEqual([
      { path: 'email', message: 'required' },
      { path: 'status', message: 'one of subscribed, unsubscribed, pending, bounced' },
      { path: 'resubscribe', message: 'not true or false' },
      { path: 'firstName', message: 'not a text' },
      { path: 'tags', message: 'not a list' },
      { path: 'attributes', message: 'not an object' },
    ]);
  });

  test('a body is looked at before the id in the path is, whether or not it could be one', async () => {
    for (const id of ['01990000-0000-7000-8000-000000000000', 'no-uuid']) {
      const patch = (body: object) => project.api.call('PATCH', `/segments/${id}`, body);
      expect(await patch({ label: 7 })).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
      expect(await patch({ label: 'x' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await project.api.get(`/contacts/${id}`)).toMatchObject({ status: 404 });
    }
  });

  test('unknown fields of a body and unknown query parameters are ignored', async () => {
    const { status } = await project.api.post('/contacts', { email: project.address(), favourite: 1, constructor: 2 });
    expect(status).toBe(200);
    expect((await project.api.get('/contacts?unknown=1&x=%00')).status).toBe(200);
  });

  test('unknown fields where a typo would widen something are refused', async () => {
    const steps = [{ template: 'welcome' }];
    for (const [path, body, at] of [
      ['/sequences', { key: 'k', name: 'n', steps, frequencyCap: { count: 1, windowHours: 1, window: 2 } }, 'frequencyCap.window'],
      ['/sequences', { key: 'k', name: 'n', steps: [{ template: 'welcome', delayMinute: 5 }] }, 'steps[0].delayMinute'],
      ['/segments', { label: 'l', filter: { statuses: ['subscribed'] } }, 'filter.statuses'],
    ] as const) {
      const answer = await project.api.post(path, body);
      expect({ path, status: answer.status }).toEqual({ path, status: 422 });
      expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toEqual([at]);
    }
  });

  test('null for an optional field is the same as leaving it out', async () => {
    const email = project.address();
    await project.api.post('/contacts', { email, tags: ['kept'], source: 'here', attributes: { a: 1 }, status: 'pending' });
    const nulls = { id: null, status: null, resubscribe: null, brand: null, source: null, tags: null, attributes: null, consent: null };
    const { status, body } = await project.api.post('/contacts', { email, ...nulls });
    expect(status).toBe(200);
    expect(body.contacts[0]).toMatchObject({ tags: ['kept'], source: 'here', attributes: { a: 1 }, status: 'pending' });
  });

  test('NUL is refused with its path, and half of a surrogate pair becomes U+FFFD', async () => {
    const email = project.address();
    for (const [body, path] of [
      [{ email, firstName: 'a\0b' }, 'firstName'],
      [{ email, attributes: { deep: ['\0'] } }, 'attributes.deep[0]'],
      [{ email, attributes: { 'k\0': 1 } }, 'attributes'],
    ] as const) {
      const answer = await project.api.post('/contacts', body);
      expect([answer.status, answer.body.code, answer.body.issues[0].path]).toEqual([422, 'invalid_request', path]);
    }
    const { status, body } = await post(`{"email":"${email}","firstName":"x\\ud800y","attributes":{"k\\udc00":"\\udbff"}}`);
    expect(status).toBe(200);
    expect(body.contacts[0]).toMatchObject({ first_name: 'x\ufffdy', attributes: { 'k\ufffd': '\ufffd' } });
  });

  test('JSON nested thousands deep is answered, never a 500', async () => {
    const nested = (depth: number, leaf = '1') => `${'['.repeat(depth)}${leaf}${']'.repeat(depth)}`;
    for (const [depth, leaf] of [
      [100, '1'],
      [7_000, '1'],
      [7_000, '"\\u0000"'],
      [200_000, '1'],
      [200_000, '"\\ud800"'],
    ] as const) {
      const answer = await post(`{"email":"${project.address()}","attributes":{"a":${nested(depth, leaf)}}}`);
      expect({ depth, leaf, fine: [200, 400, 422].includes(answer.status) }).toEqual({ depth, leaf, fine: true });
      const sent = await project.api.call(
        'POST',
        '/events',
        `{"type":"x","email":"${project.address()}","data":{"a":${nested(depth, leaf)}}}`,
        {
          headers: { 'idempotency-key': `deep-${depth}-${leaf.length}` },
        },
      );
      expect({ depth, leaf, fine: [200, 400, 422].includes(sent.status) }).toEqual({ depth, leaf, fine: true });
    }
  });

  test('a field called __proto__ changes nothing but itself', async () => {
    const { status, body } = await post(
      `{"email":"${project.address()}","__proto__":{"status":"bounced"},"attributes":{"__proto__":{"x":1}}}`,
    );
    expect(status).toBe(200);
    expect(body.contacts[0].status).toBe('subscribed');
  });
});

/** Past fetch, which would not say that the answer came before the whole body was taken. */
function raw(body: string, chunked = false): Promise<{ status: number | undefined; code: string }> {
  const { apiUrl } = testEnvironment();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${project.key}`, 'content-type': 'application/json' };
    const sent = request(`${apiUrl}/api/v1/contacts`, {
      method: 'POST',
      headers: chunked ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    let answered = false;
    sent.on('response', (response) => {
      answered = true;
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, code: JSON.parse(text).code }));
    });
    sent.on('error', (error) => (answered ? undefined : reject(error)));
    sent.end(body);
  });
}

afterAll(async () => {
  expect((await api().get('/ready')).status).toBe(200);
});
