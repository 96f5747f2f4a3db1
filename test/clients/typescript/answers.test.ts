import { Everpost, isEverpostError } from '@everpost/client';
import { expect, test } from 'vitest';
import { apiDocument } from '../../../local/console-types.ts';
import type { Document } from '../../docs/openapi-document.ts';

/** A client that has this answer, whatever it asks for. */
function answered(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Everpost {
  return new Everpost({ apiKey: 'ep_test_any', maxRetries: 0, fetch: async () => Response.json(body, { status, headers }) });
}

const mail = { template: 'receipt', to: 'ada@example.com' };

test.each([[{}], [[]], [{ id: '1@mail.example' }], [{ ok: 'true' }], [{ ok: false, error: 'nope', code: 'send_failed' }]])(
  '200 with %j is no success, since it does not say that it was done',
  async (body) => {
    const everpost = answered(body);
    const words = `200 with an answer that is not Everpost's: ${JSON.stringify(body)}`;
    await expect(everpost.send(mail)).rejects.toMatchObject({ code: 'unexpected_answer', status: 200, message: words });
    const { data, error } = await everpost.safe.contacts.list();
    expect([data, error?.code]).toEqual([null, 'unexpected_answer']);
  },
);

test('what the document describes without `ok` is given as it is', async () => {
  const document: Document = JSON.parse(apiDocument());
  const { schema } = document.paths['/contacts/{id}/export'].get.responses[200].content['application/json'];
  const { properties } = schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  expect(Object.keys(properties)).not.toContain('ok');
  const person = { withMails: false };
  expect(await answered(person).contacts.exportPerson('c1')).toEqual(person);
  expect(await answered({ openapi: '3.1.0' }).service.openapi()).toEqual({ openapi: '3.1.0' });
});

test('an error as JSON has its message and all that it tells', async () => {
  const issues = [{ path: 'to', message: 'not a valid address' }];
  const refused = answered({ ok: false, error: 'in words', code: 'invalid_request', issues }, 422, {
    'x-request-id': 'req-1',
    'retry-after': '7',
  });
  const { error } = await refused.safe.send(mail);
  const facts = { name: 'EverpostError', message: 'in words', code: 'invalid_request', status: 422, operation: 'send' };
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({ error: { ...facts, requestId: 'req-1', retryAfterSeconds: 7, issues } });
  expect(Object.keys(error!)).not.toContain('toJSON');
  expect(isEverpostError(error, 'invalid_request')).toBe(true);
});
