import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateUp } from '../../../bin/migrate.ts';
import { type EntityManager, type MikroORM, openDatabase } from '../../../db/orm.ts';
import { findLinkedContacts } from '../../../db/queries/contacts/unsubscribe-links.ts';
import { rows } from '../../../db/rows.ts';
import { createDatabase } from '../../support/databases.ts';
import { testEnvironment } from '../../support/environment.ts';

let orm: MikroORM;
let em: EntityManager;
const project = uuidv7();
const other = uuidv7();
const sequence = uuidv7();

/** Ids of what was stored before the migration, in the order in which it was. */
const ids = new Map<string, string>();

beforeAll(async () => {
  const url = await createDatabase(testEnvironment().databaseUrl);
  orm = await openDatabase({ url, poolSize: 2, applicationName: 'everpost-test' });
  em = orm.em.fork();
  await orm.migrator.up({ to: '0005_sending' });
  for (const id of [project, other]) {
    await run(sql`insert into projects (id, slug, name, inbound_id, sealed_link_secret, sealed_inbound_secret, sealed_webhook_secret)
      values (${id}, ${id}, 'p', ${id}, 'a', 'b', 'c')`);
    await run(
      sql`insert into brands (project_id, slug, name, from_email, reply_to) values (${id}, 'b', 'b', 'hi@grüße.example', 'hi@plain.example')`,
    );
    await run(sql`insert into sequences (id, project_id, key, name, status, version)
      values (${id === project ? sequence : uuidv7()}, ${id}, 's', 's', 'active', 1)`);
  }
  await contact('kept', 'ann@bücher.example', { first_name: 'Ann', tags: ['a', 'b'], attributes: { plan: 'old', kept: 1 } });
  await contact('merged', 'ann@xn--bcher-kva.example', {
    last_name: 'Bell',
    status: 'bounced',
    tags: ['c', 'a'],
    attributes: { plan: 'new', more: 2 },
  });
  await contact('merged too', 'ann@ｂücher.example', { first_name: 'Anna', status: 'unsubscribed' });
  await contact('elsewhere', 'ann@bücher.example', { project_id: other });
  await contact('alone', 'bob@bücher.example', { status: 'pending' });
  await contact('plain', 'bob@example.com', {});
  await contact('unreachable', 'bob@אבa.example', {});
  for (const name of ids.keys()) {
    const [id, of] = [ids.get(name)!, name === 'elsewhere' ? other : project];
    await run(sql`insert into events (id, project_id, contact_id, type, data) values (${uuidv7()}, ${of}, ${id}, ${name}, '{}')`);
    await run(sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, current_node_id)
      select ${uuidv7()}, ${of}, s.id, 1, ${id}, ${name} from sequences s where s.project_id = ${of}`);
    await run(sql`insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, source_type)
      select ${uuidv7()}, ${of}, id, 'b', email, ${name}, 'marketing', 'api' from contacts where id = ${id}`);
  }
  await suppressed('first@bücher.example', 'manual', '2026-01-01');
  await suppressed('first@xn--bcher-kva.example', 'bounce', '2026-01-02');
  await suppressed('complained@xn--bcher-kva.example', 'manual', '2026-01-01');
  await suppressed('complained@bücher.example', 'complaint', '2026-01-02');
  await suppressed('moved@bücher.example', 'global_unsubscribe', '2026-01-02');
  for (const [domain, verified] of [
    ['grüße.example', true],
    ['xn--gre-6ka8l.example', false],
    ['bücher.example', false],
  ] as const) {
    await run(sql`insert into sending_domains (id, project_id, domain, verified) values (${uuidv7()}, ${project}, ${domain}, ${verified})`);
  }
  await migrateUp(url);
});

afterAll(async () => {
  await orm.close();
});

const run = <T>(statement: ReturnType<typeof sql<T>>) => rows(em, statement);

async function contact(name: string, email: string, fields: object): Promise<void> {
  const id = uuidv7();
  ids.set(name, id);
  const row = { id, project_id: project, email, status: 'subscribed', tags: [], attributes: {}, ...fields };
  const at = new Date(Date.UTC(2026, 0, ids.size));
  await run(sql`insert into contacts (id, project_id, email, status, brand_id, first_name, last_name, tags, attributes, created_at)
    select id, project_id, email, status, 'b', first_name, last_name, tags, attributes, ${at}
    from jsonb_to_record(${JSON.stringify(row)}::jsonb)
      as r(id uuid, project_id uuid, email text, status text, first_name text, last_name text, tags text[], attributes jsonb)`);
}

async function suppressed(email: string, reason: string, at: string): Promise<void> {
  await run(sql`insert into suppressions (project_id, email, reason, created_at) values (${project}, ${email}, ${reason}, ${at})`);
}

test('contacts of one mailbox become the oldest of them, with what is known of any and the strictest status', async () => {
  const stored = await run(sql<{ id: string }>`select * from contacts where project_id = ${project} order by created_at`);
  expect(stored).toMatchObject([
    {
      ...{ id: ids.get('kept'), email: 'ann@xn--bcher-kva.example', status: 'unsubscribed', first_name: 'Ann', last_name: 'Bell' },
      ...{ tags: ['a', 'b', 'c'], attributes: { plan: 'old', kept: 1, more: 2 } },
    },
    { id: ids.get('alone'), email: 'bob@xn--bcher-kva.example', status: 'pending' },
    { id: ids.get('plain'), email: 'bob@example.com', status: 'subscribed' },
    { id: ids.get('unreachable'), email: 'bob@אבa.example' },
  ]);
});

test('a contact of another project is renamed and not merged', async () => {
  expect(await run(sql`select id, email, status from contacts where project_id = ${other}`)).toEqual([
    { id: ids.get('elsewhere'), email: 'ann@xn--bcher-kva.example', status: 'subscribed' },
  ]);
});

test.each([
  ['events', 'type'],
  ['enrollments', 'current_node_id'],
  ['sends', 'template'],
])('the %s of merged contacts are those of the one that stays', async (table, column) => {
  const of = async (name: string) =>
    (
      await run(
        sql<{ name: string }>`select ${sql.ref(column)} as name from ${sql.table(table)} where contact_id = ${ids.get(name)} order by 1`,
      )
    ).map((found) => found.name);
  expect(await of('kept')).toEqual(['kept', 'merged', 'merged too']);
  expect(await of('merged')).toEqual([]);
  expect(await of('alone')).toEqual(['alone']);
  expect(await of('elsewhere')).toEqual(['elsewhere']);
});

test('links in mails that went out to a merged contact lead to the one that stays', async () => {
  for (const name of ['kept', 'merged', 'merged too']) {
    expect(await findLinkedContacts(em, ids.get(name)!, undefined)).toMatchObject([{ id: ids.get('kept'), project_id: project }]);
  }
});

test('of suppressions of one mailbox the first stays, unless one is a complaint', async () => {
  expect(await run(sql`select email, reason, created_at from suppressions order by email`)).toEqual([
    { email: 'complained@xn--bcher-kva.example', reason: 'complaint', created_at: new Date('2026-01-01') },
    { email: 'first@xn--bcher-kva.example', reason: 'manual', created_at: new Date('2026-01-01') },
    { email: 'moved@xn--bcher-kva.example', reason: 'global_unsubscribe', created_at: new Date('2026-01-02') },
  ]);
});

test('the send log, senders and sending domains have the new spelling', async () => {
  expect(await run(sql`select distinct to_email from sends order by 1`)).toEqual(
    ['ann@xn--bcher-kva.example', 'bob@example.com', 'bob@xn--bcher-kva.example', 'bob@אבa.example'].map((to_email) => ({ to_email })),
  );
  expect(await run(sql`select distinct from_email, reply_to from brands`)).toEqual([
    { from_email: 'hi@xn--gre-6ka8l.example', reply_to: 'hi@plain.example' },
  ]);
  expect(await run(sql`select domain, verified from sending_domains order by domain`)).toEqual([
    { domain: 'xn--bcher-kva.example', verified: false },
    { domain: 'xn--gre-6ka8l.example', verified: true },
  ]);
});

test('the kept numbers of contacts are right after merging', async () => {
  const counted = sql`select status, count(*) as count from contacts where project_id = ${project} group by status order by status`;
  const kept = sql`select status, sum(delta)::bigint as count from contact_counts where project_id = ${project}
    group by status having sum(delta) <> 0 order by status`;
  expect(await run(kept)).toEqual(await run(counted));
});
