import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { migrateUp } from '../../../bin/migrate.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { sumUpContactGrowth } from '../../../db/queries/contacts/contact-growth.ts';
import { row } from '../../../db/rows.ts';
import { earlierDatabase, PROJECT } from '../../support/earlier-database.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must, newContact } from '../../support/sequences.ts';

const NOTHING = { made: 0, unsubscribed: 0, bounced: 0, resubscribed: 0, erased: 0 };

let em: EntityManager;
beforeAll(async () => {
  em = await database();
});

const growthOf = async (project: TestProject, query = '') => must(await project.api.get(`/stats/contacts${query}`), 200);

test('contacts that come and go are counted once each, before and after the counts are summed up, and stay counted when erased', async () => {
  const project = await newProject();
  expect(await growthOf(project)).toMatchObject({ totals: NOTHING, contacts: { all: 0, subscribed: 0 } });
  const [one, two, three] = ['one', 'two', 'three'].map((name) => project.address(name));
  const id = await newContact(project, one!);
  must(
    await project.api.post('/contacts', [{ email: two }, { email: three, status: 'unsubscribed' }, { email: two, firstName: 'B' }]),
    200,
  );
  must(await project.api.post(`/contacts/${id}/unsubscribe`), 200);
  must(await project.api.post(`/contacts/${id}/unsubscribe`), 200);
  const made = { ...NOTHING, made: 3, unsubscribed: 1 };
  expect(await growthOf(project)).toMatchObject({ totals: made, contacts: { all: 3, subscribed: 1 } });
  // From the one to the other nobody is lost again; who comes back is told, and may be lost once more.
  must(await project.api.post('/contacts', { email: one, status: 'bounced' }), 200);
  must(await project.api.post('/contacts', { email: two, firstName: 'Bea' }), 200);
  expect((await growthOf(project)).totals).toEqual(made);
  must(await project.api.post('/contacts', { email: one, status: 'subscribed', resubscribe: true }), 200);
  must(await project.api.post('/contacts', { email: one, status: 'bounced' }), 200);
  await sumUpContactGrowth(em);
  must(await project.api.delete(`/contacts/${id}`), 200);
  const erased = { ...made, bounced: 1, resubscribed: 1, erased: 1 };
  expect(await growthOf(project)).toMatchObject({ totals: erased, contacts: { all: 2, subscribed: 1 } });
  await Promise.all([sumUpContactGrowth(em), sumUpContactGrowth((await database()).fork())]);
  expect((await growthOf(project)).totals).toEqual(erased);
  expect((await growthOf(await newProject())).totals).toEqual(NOTHING);
});

test('days are those of the zone that is asked for, in the counts of contacts and of mails', async () => {
  const project = await newProject();
  const yesterday = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000);
  // 22:30 in UTC, of which Berlin's next day has come.
  const late = new Date(yesterday.getTime() + 22.5 * 3_600_000);
  const email = project.address();
  await newContact(project, email);
  await row(em, sql`delete from contact_growth_changes where project_id = ${project.id}`);
  await row(
    em,
    sql`insert into contact_growth (project_id, hour, made, unsubscribed, bounced, resubscribed, erased)
        values (${project.id}, date_trunc('hour', ${late}::timestamptz, 'UTC'), 5, 0, 0, 0, 0)`,
  );
  await row(
    em,
    sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, status, created_at)
        values (gen_random_uuid(), ${project.id}, ${project.slug}, ${email}, 't', 'marketing', 'api', 'sent', ${late})`,
  );
  const dayOf = async (path: string, name: string, zone: string) => {
    const { counts } = must(await project.api.get(`${path}?timezone=${encodeURIComponent(zone)}`), 200);
    const { from } = counts.find((count: Record<string, number>) => count[name]! > 0);
    return new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date(from));
  };
  for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland']) {
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(late);
    expect([await dayOf('/stats/contacts', 'made', zone), await dayOf('/stats', 'sent', zone)]).toEqual([day, day]);
  }
  for (const path of ['/stats', '/stats/contacts']) {
    const { status, body } = await project.api.get(`${path}?timezone=%2B02:00`);
    expect([status, body.issues[0]]).toEqual([422, { path: 'timezone', message: 'not an IANA time zone' }]);
  }
});

test('what happened to the contacts of the version before is counted by the migration, once', async () => {
  const earlier = await earlierDatabase('0064_made_keys');
  try {
    const client = await earlier.connect();
    await client.query(`
      insert into contacts (id, project_id, email, status, brand_id, created_at)
      select gen_random_uuid(), '${PROJECT}', n || '@to.example', 'subscribed', 'p', now() - interval '3 days' from generate_series(1, 10) n;
      insert into consent_changes (project_id, contact_id, at, from_status, to_status, cause)
      select project_id, id, now() - interval '2 days', 'subscribed', 'unsubscribed', 'key' from contacts limit 4;
      insert into consent_changes (project_id, contact_id, at, from_status, to_status, cause)
      select project_id, id, now() - interval '2 days', 'subscribed', 'pending', 'key' from contacts limit 4`);
    const counted = async () =>
      (
        await client.query(`
          select sum(made)::integer as made, sum(unsubscribed)::integer as unsubscribed, sum(bounced)::integer as bounced,
                 sum(resubscribed)::integer as resubscribed, sum(erased)::integer as erased
          from (select * from contact_growth union all
                select project_id, hour, made, unsubscribed, bounced, resubscribed, erased from contact_growth_changes) g`)
      ).rows[0];
    await migrateUp(earlier.url);
    const wanted = { ...NOTHING, made: 10, unsubscribed: 4 };
    expect(await counted()).toEqual(wanted);
    // As if it had been cut off at its end, and somebody was erased before it ran again.
    await client.query(`delete from migrations where name = '0071_home'; delete from contacts where email = '1@to.example'`);
    expect(await migrateUp(earlier.url)).toEqual(['0071_home']);
    expect(await counted()).toEqual({ ...wanted, erased: 1 });
  } finally {
    await earlier.close();
  }
});
