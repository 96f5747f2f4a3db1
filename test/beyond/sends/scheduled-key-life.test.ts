import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { requestHash } from '../../../api/idempotency.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import type { Reply } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { mailCount } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { inMs, scheduledMails, tomorrow } from '../../support/scheduled-mails.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const { later, scheduled, sendNow, settled } = scheduledMails(() => project);

/** Answers are kept for a day. */
const aDayLater = () => row(em, sql`delete from idempotency_keys where project_id = ${project.id}`);
const heard = ({ status, body, headers }: Reply) => [status, body.id ?? body.code, headers.get('idempotent-replayed')];
const atOnce = (to: string, idempotencyKey: string) => project.api.post('/send', { template: 'receipt', to, idempotencyKey });

test('the key of a scheduled mail is known for as long as it waits, and as that of a mail sent at once when it has gone', async () => {
  const to = project.address();
  const body = { to, sendAt: tomorrow(), idempotencyKey: `life-${to}` };
  const { id } = must(await later(body), 202);
  const asked = async () => [
    heard(await later(body)),
    heard(await later({ ...body, sendAt: inMs(0) })),
    heard(await atOnce(to, body.idempotencyKey)),
  ];
  const answered = [
    [202, id, 'true'],
    [422, 'idempotency_key_reuse', null],
    [422, 'idempotency_key_reuse', null],
  ];
  await aDayLater();
  expect(await asked()).toEqual(answered);
  await sendNow(id);
  await settled(id);
  expect(await asked()).toEqual(answered);
  expect(await mailCount(to)).toBe(1);
});

test('a mail that is cancelled frees its key: the same call waits as another', async () => {
  const body = { to: project.address(), sendAt: tomorrow(), idempotencyKey: 'cancelled' };
  const { id } = must(await later(body), 202);
  must(await project.api.delete(`/sends/${id}`), 200);
  const again = await later(body);
  expect(heard(again)).toEqual([202, expect.any(String), null]);
  expect(again.body.id).not.toBe(id);
  expect((await project.api.get(`/sends/${again.body.id}`)).body.send.status).toBe('scheduled');
});

test('the stored answer of a mail that was asked for before keys stood with them is given for as long as somebody has its id', async () => {
  const body = { template: 'receipt', to: project.address(), sendAt: tomorrow() };
  const key = 'from-before';
  const { id } = must(await later(body), 202);
  const response = JSON.stringify({ ok: true, id, status: 'scheduled', sendAt: body.sendAt });
  await row(
    em,
    sql`insert into idempotency_keys (project_id, route, key, request_hash, leased_until, response, response_status)
        values (${project.id}, 'post /send', ${key}, ${requestHash(body)}, now(), ${response}::jsonb, 202)`,
  );
  expect(heard(await later({ ...body, idempotencyKey: key }))).toEqual([202, id, 'true']);
  expect(heard(await later({ ...body, sendAt: inMs(0), idempotencyKey: key }))).toEqual([422, 'idempotency_key_reuse', null]);
  must(await project.api.delete(`/sends/${id}`), 200);
  expect(heard(await later({ ...body, idempotencyKey: key }))).toEqual([202, expect.any(String), null]);
});

test('in a batch the first of two mails with one key counts, whichever of them goes later', async () => {
  const [to, idempotencyKey] = [project.address(), `both-${project.address()}`];
  const [now, then] = [
    { template: 'receipt', to },
    { template: 'receipt', to, sendAt: tomorrow() },
  ];
  const results = async (key: string, ...mails: object[]) =>
    must(await project.api.post('/send/batch', { mails: mails.map((mail) => ({ ...mail, idempotencyKey: key })) }), 200).results;
  expect(await results(`${idempotencyKey}-1`, now, then)).toMatchObject([{ ok: true }, { code: 'idempotency_key_reuse' }]);
  const [waits] = await results(`${idempotencyKey}-2`, then, now);
  await aDayLater();
  expect(await results(`${idempotencyKey}-2`, then, now)).toMatchObject([
    { ok: true, id: waits.id, replayed: true },
    { code: 'idempotency_key_reuse' },
  ]);
  expect(await mailCount(to)).toBe(1);
});

test('a mail that was accepted goes, though another got its key in the same moment', async () => {
  const [to, other] = [project.address(), project.address()];
  const { id } = must(await later({ to, idempotencyKey: `race-${to}` }), 202);
  must(await atOnce(other, `other-${to}`), 200);
  await row(
    em,
    sql`update sends set idempotency_key = ${`race-${to}`} where project_id = ${project.id} and idempotency_key = ${`other-${to}`}`,
  );
  await sendNow(id);
  expect(await settled(id)).toMatchObject({ status: 'sent', to_email: to });
  expect(await mailCount(to)).toBe(1);
});

test('a mail that was given up does not go again where its worker died before it was off the list', async () => {
  const to = project.address();
  const id = await scheduled({ to, idempotencyKey: `given-up-${to}` });
  await row(
    em,
    sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, status, error, closed_at)
        values (${id}, ${project.id}, ${project.slug}, ${to}, 'receipt', 'transactional', 'api', 'failed', 'provider_unavailable: away', now())`,
  );
  await row(em, sql`update scheduled_sends set due_at = now(), available_at = now() where id = ${id}`);
  await settled(await scheduled({ to: project.address(), sendAt: inMs(-60_000) }));
  await eventually(async () => (await rows(em, sql`select 1 from scheduled_sends where id = ${id}`)).length === 0);
  expect(await mailCount(to)).toBe(0);
});
