import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { Contact, type ErasureRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { deleteContact, eraseTraces, isInOpenBatch, leaveAudiences } from '../../db/queries/contacts/erasures.ts';
import { insertSegment, listSegments } from '../../db/queries/segments/segments.ts';
import { countMailsInFlight } from '../../db/queries/sends/mails-in-flight.ts';
import { findSend, listSends } from '../../db/queries/sends/send-log.ts';
import { row, rows } from '../../db/rows.ts';
import { bareProject, bareSend, keepSearchEntriesFew, ownDatabase } from '../support/own-database.ts';
import { readInPasses } from '../support/read-in-passes.ts';

const MANY = 20_000;

let em: EntityManager;
let project: { id: string; slug: string };

beforeAll(async () => {
  em = (await ownDatabase()).em.fork();
  await keepSearchEntriesFew(em);
  project = await bareProject(em);
  const { id } = project;
  await row(
    em,
    sql`insert into contacts (id, project_id, email, status, brand_id)
        select gen_random_uuid(), ${id}, 'n' || n || '@many.example', 'subscribed', ${project.slug} from generate_series(1, ${MANY}::integer) n`,
  );
  await bareSend(em, project);
  // A contact each, and every tenth to somebody who is none.
  await row(
    em,
    sql`insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, status, source_type, provider_id, opened_at)
        select gen_random_uuid(), ${id}, case when random() < 0.9 then c.id end, c.brand_id, c.email, 'welcome', 'marketing', 'sent', 'api', c.id::text, now()
        from contacts c where c.project_id = ${id}`,
  );
  await row(
    em,
    sql`insert into provider_events (id, project_id, provider, event_key, type, provider_ids, details, occurred_at, received_at, applied_at, send_id, email)
        select gen_random_uuid(), ${id}, 'generic', s.id::text, 'delivered', array[s.provider_id], '{}', now(), now(), now(), s.id, s.to_email from sends s
        where s.provider_id is not null`,
  );
  await row(
    em,
    sql`insert into webhook_events (project_id, type, data)
        select ${id}, 'email.sent', jsonb_build_object('contact_id', c.id, 'email', c.email) from contacts c where c.project_id = ${id}`,
  );
  await row(
    em,
    sql`insert into campaigns (id, project_id, template, type, brand_id, subject, has_own_subject, audience, status)
        select gen_random_uuid(), ${id}, 'welcome', 'marketing', ${project.slug}, '', false,
               jsonb_build_object('mode', 'people', 'emails', jsonb_build_array('n' || n || '@many.example', 'x' || n || '@many.example')), 'sent'
        from generate_series(1, ${MANY}::integer) n`,
  );
  await row(em, sql`analyze`);
});

test('a contact among very many is erased by index, and nothing is read as a whole', async () => {
  const contact = await em.findOneOrFail(Contact, { project_id: project.id, email: 'n77@many.example' });
  let erasure: ErasureRow | undefined;
  const read = await readInPasses(em, async (tx) => {
    await leaveAudiences(tx, project.id, contact.email);
    erasure = await deleteContact(tx, contact, new Date());
    await countMailsInFlight(tx, { erased: erasure });
    await isInOpenBatch(tx, erasure);
    await eraseTraces(tx, erasure, uuidv7());
  });
  expect(read).toEqual({});
  for (const table of ['sends', 'webhook_events', 'provider_events', 'campaigns', 'contacts']) {
    expect([
      table,
      await row(
        em,
        sql`select 1 from ${sql.table(table)} t where t::text like '%"n77@many.example%' or t::text like '%n77@many.example,%'`,
      ),
    ]).toEqual([table, undefined]);
  }
});

test('a send is found by its provider id by index, also as a text to search for', async () => {
  const [{ provider_id: id } = { provider_id: '' }] = await rows(
    em,
    sql<{
      provider_id: string;
    }>`select provider_id from sends where provider_id is not null and project_id = ${project.id} order by random() limit 1`,
  );
  expect(await readInPasses(em, (tx) => findSend(tx, project.id, id))).toEqual({});
  const place = { limit: 10, from: undefined, direction: 'next' } as const;
  expect(await readInPasses(em, (tx) => listSends(tx, project.id, { q: id }, place))).toEqual({});
  expect((await listSends(em, project.id, { q: id }, place)).rows).toHaveLength(1);
});

test('a list of segments reads the contacts once for all that have conditions', async () => {
  const now = new Date();
  for (let n = 0; n < 20; n++) {
    const filter = { where: { field: 'attributes.n', op: 'eq', value: n } } as const;
    await insertSegment(em, { id: uuidv7(), projectId: project.id, label: `Segment ${n}`, filter, brand: null, now });
  }
  const read = await em.fork().transactional(async (tx) => {
    const count = async () =>
      (await row(
        tx,
        sql<{
          read: number;
        }>`select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = 'contacts'`,
      ))!.read;
    const before = await count();
    expect(await listSegments(tx, project.id)).toHaveLength(20);
    return (await count()) - before;
  });
  expect(read).toBeGreaterThan(MANY / 2);
  expect(read).toBeLessThan(2 * MANY);
});
