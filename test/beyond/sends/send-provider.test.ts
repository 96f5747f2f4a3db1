import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { Send } from '../../../db/entities/index.ts';
import { mailNow, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const send = (body: object, key?: string) =>
  project.api.post('/send', { template: 'receipt', ...body }, key === undefined ? {} : { headers: { 'idempotency-key': key } });

async function logOf(to: string) {
  return must(await project.api.get(`/sends?q=${encodeURIComponent(to)}`), 200).sends;
}

describe('what the provider answers', () => {
  test('a refusal is final: a failed row, and the same answer for the same key', async () => {
    const to = project.address();
    await scriptMail(to, { rejectRecipient: { code: 554, message: '5.7.1 policy' } });
    const first = await send({ to }, 'refused-1');
    expect([first.status, first.body]).toMatchObject([422, { ok: false, code: 'send_failed', reason: 'provider_rejected' }]);
    await scriptMail(to, {});
    const again = await send({ to }, 'refused-1');
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([422, first.body, 'true']);
    expect(await logOf(to)).toMatchObject([
      { status: 'failed', error: expect.stringMatching(/^provider_rejected: .*policy/), provider_id: null },
    ]);
    expect(await mailNow(to)).toEqual([]);
  });

  test('"later" is tried three times in the call', async () => {
    const to = project.address();
    await scriptMail(to, { rejectRecipient: { code: 451, times: 2 } });
    must(await send({ to }), 200);
    expect(await logOf(to)).toMatchObject([{ status: 'sent' }]);
    expect(await mailNow(to)).toHaveLength(1);
  });

  test('"later" throughout is 503 with Retry-After; it frees the key, and a retry makes a row of its own', async () => {
    const to = project.address();
    await scriptMail(to, { rejectData: { code: 452, times: 3 } });
    const { status, headers, body } = await send({ to }, 'later-1');
    expect([status, body]).toMatchObject([503, { ok: false, code: 'send_failed', reason: 'provider_unavailable' }]);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await logOf(to)).toMatchObject([{ status: 'failed', error: expect.stringMatching(/^provider_unavailable/) }]);
    const retried = await send({ to }, 'later-1');
    expect([retried.status, retried.headers.has('idempotent-replayed')]).toEqual([200, false]);
    expect((await logOf(to)).map((row: { status: string }) => row.status)).toEqual(['sent', 'failed']);
    expect(await mailNow(to)).toHaveLength(1);
  });

  test('a connection that drops after the submission leaves the outcome unknown, and nothing is sent again', async () => {
    const to = project.address();
    await scriptMail(to, { dropAfterData: { times: 1 } });
    const first = await send({ to }, 'dropped-1');
    expect([first.status, first.body]).toMatchObject([422, { code: 'send_failed', reason: 'outcome_unknown' }]);
    const again = await send({ to }, 'dropped-1');
    expect([again.status, again.body.reason, again.headers.get('idempotent-replayed')]).toEqual([422, 'outcome_unknown', 'true']);
    expect(await logOf(to)).toMatchObject([{ status: 'failed', error: expect.stringMatching(/^outcome_unknown/) }]);
    expect(await mailNow(to)).toHaveLength(1);
  });
});

describe('one key', () => {
  test('a repeated call is answered with all that the first answer had, whatever the template has become', async () => {
    const to = project.address();
    const template = {
      ...{ key: 'noted', type: 'transactional', name: 'Noted', subject: 'Noted' },
      content: { blocks: [{ type: 'text', text: '{{ size }} {{ orderNumber }}' }] },
      dataSchema: [{ path: 'orderNumber', kind: 'string', sample: '7' }],
    };
    must(await project.api.post('/templates', template), 201);
    await enableTemplates(project, 'noted');
    const call = { template: 'noted', to, data: { ordernumber: '7' }, subject: 'For {{ conact.email }}' };
    const first = await send(call, 'noted-1');
    expect([first.status, first.body]).toEqual([
      200,
      {
        ...{ ok: true, id: expect.any(String), missing: expect.arrayContaining(['size', 'orderNumber', 'conact.email']) },
        warnings: [expect.objectContaining({ path: 'data.ordernumber' }), expect.objectContaining({ path: 'subject' })],
      },
    ]);
    must(await project.api.put('/templates/noted/schema', { dataSchema: [{ path: 'ordernumber', kind: 'string', sample: '7' }] }), 200);
    const again = await send(call, 'noted-1');
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    expect(await mailNow(to)).toHaveLength(1);
  });

  test('fifty calls with one idempotency key make one email', async () => {
    const to = project.address();
    await scriptMail(to, { delayMs: 300 });
    const replies = await Promise.all(Array.from({ length: 50 }, () => send({ to, data: { name: 'Ada' } }, 'fifty')));
    const done = replies.filter(({ status }) => status === 200);
    expect(done.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    for (const { status, body, headers } of replies.filter(({ status: other }) => other !== 200)) {
      expect([status, body.code]).toEqual([409, 'idempotency_in_progress']);
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    const later = await send({ to, data: { name: 'Ada' } }, 'fifty');
    expect([later.status, later.headers.get('idempotent-replayed'), later.body]).toEqual([200, 'true', done[0]!.body]);
    expect(await mailNow(to)).toHaveLength(1);
    expect(await logOf(to)).toHaveLength(1);
  });

  test('another payload under it is refused, and header and body may both name it, but not two', async () => {
    const to = project.address();
    const first = must(await send({ to, idempotencyKey: 'both-1' }), 200);
    expect(must(await send({ to }, 'both-1'), 200)).toEqual(first);
    expect(must(await send({ to, idempotencyKey: 'both-1' }, 'both-1'), 200)).toEqual(first);
    const reused = await send({ to, subject: 'Else' }, 'both-1');
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reuse']);
    const two = await send({ to, idempotencyKey: 'both-1' }, 'both-2');
    expect([two.status, two.body.code, two.body.issues[0].path]).toEqual([422, 'invalid_request', 'idempotencyKey']);
    expect(await mailNow(to)).toHaveLength(1);
  });

  test('it has 1 to 200 visible characters', async () => {
    const to = project.address();
    for (const key of ['x'.repeat(201), 'a b', 'é']) {
      const { status, body } = await send({ to }, key);
      expect([key.length, status, body.code]).toEqual([key.length, 400, 'invalid_idempotency_key']);
    }
    must(await send({ to }, 'y'.repeat(200)), 200);
  });

  test('a refusal before anything was written does not occupy it', async () => {
    const to = project.address();
    expect((await send({ to, template: 'magic-link' }, 'free-1')).body.code).toBe('template_not_enabled');
    expect((await send({ to: 'none' }, 'free-1')).body.code).toBe('invalid_request');
    must(await send({ to }, 'free-1'), 200);
  });

  test('it is one of the project: another project may use the same', async () => {
    const other = await newProject();
    await enableTemplates(other, 'receipt');
    const to = other.address();
    must(await other.api.post('/send', { template: 'receipt', to, idempotencyKey: 'both-1' }), 200);
    expect(await mailNow(to)).toHaveLength(1);
  });

  test('an answer once given stays, whatever is switched off since', async () => {
    const changing = await newProject();
    await enableTemplates(changing, 'receipt');
    const body = { template: 'receipt', to: changing.address(), idempotencyKey: 'stays' };
    const first = must(await changing.api.post('/send', body), 200);
    must(await changing.api.put('/templates/receipt', { enabled: false }), 200);
    expect(must(await changing.api.post('/send', body), 200)).toEqual(first);
  });

  test('after a crash it is busy for a minute, then its outcome is unknown: failed, never sent again by itself', async () => {
    const em = await database();
    const left = async (key: string, to: string, secondsAgo: number) => {
      const at = new Date(Date.now() - secondsAgo * 1000);
      const what = { template: 'receipt', type: 'transactional', source_type: 'api', brand_id: project.slug } as const;
      await em.insert(Send, {
        id: uuidv7(),
        project_id: project.id,
        to_email: to,
        idempotency_key: key,
        opened_at: at,
        created_at: at,
        ...what,
      });
    };
    const [young, busy, unanswered] = [project.address(), project.address(), project.address()];
    await left('crash-young', young, 2);
    await left('crash-busy', busy, 30);
    await left('crash-old', unanswered, 61);
    const waiting = await send({ to: busy }, 'crash-busy');
    expect([waiting.status, waiting.body.code]).toEqual([409, 'idempotency_in_progress']);
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(20);
    // It may be in flight still, and over in no time.
    const soon = await send({ to: young }, 'crash-young');
    expect([soon.status, Number(soon.headers.get('retry-after'))]).toEqual([409, 2]);
    expect(await logOf(busy)).toEqual([]);
    const settled = await send({ to: unanswered }, 'crash-old');
    expect([settled.status, settled.body.reason]).toEqual([422, 'outcome_unknown']);
    expect(await logOf(unanswered)).toMatchObject([{ status: 'failed', error: expect.stringMatching(/^outcome_unknown/) }]);
    expect(await mailNow(unanswered)).toEqual([]);
  });
});
