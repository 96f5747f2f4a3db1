import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrateUp } from '../../../bin/migrate.ts';
import { noteEventType, seenEventTypes } from '../../../db/queries/projects/vocabulary.ts';
import { rows } from '../../../db/rows.ts';
import { earlierDatabase, PROJECT } from '../../support/earlier-database.ts';
import { database, newProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

test('GET /vocabulary tells the tags, attributes and event types of the project only', async () => {
  const [project, other] = [await newProject(), await newProject()];
  for (const [of, name] of [
    [project, 'own'],
    [other, 'theirs'],
  ] as const) {
    must(
      await of.api.post('/contacts', [
        { email: of.address(), tags: [name, 'a'], source: `${name} shop`, attributes: { [name]: 'text', seats: 3 } },
        { email: of.address(), tags: [name], status: 'pending', attributes: { seats: ['many'] } },
      ]),
      200,
    );
    for (const type of [name, `${name} later`]) must(await of.api.post('/events', { type, email: of.address() }), 200);
  }
  const { ok: _, ...vocabulary } = must(await project.api.get('/vocabulary'), 200);
  expect(vocabulary).toEqual({
    tags: [
      { tag: 'a', contacts: 1 },
      { tag: 'own', contacts: 2 },
    ],
    sources: ['api', 'event', 'own shop'],
    attributes: [
      { name: 'seats', types: ['array', 'number'], contacts: 2 },
      { name: 'own', types: ['string'], contacts: 1 },
    ],
    sampledContacts: 4,
    eventTypes: ['own later', 'own'].map((type) => ({ type, last_seen_at: expect.any(String) })),
  });
  expect(must(await (await newProject()).api.get('/vocabulary'), 200)).toMatchObject({
    tags: [],
    sources: [],
    attributes: [],
    eventTypes: [],
  });
  expect((await (await project.newKey(['sends:read'])).api.get('/vocabulary')).body.code).toBe('forbidden');
});

test('a tag that nobody has any more is not told', async () => {
  const project = await newProject();
  const email = project.address();
  for (const tags of [['before'], ['after']]) must(await project.api.post('/contacts', { email, tags }), 200);
  expect(must(await project.api.get('/vocabulary'), 200).tags).toEqual([{ tag: 'after', contacts: 1 }]);
});

test('of a project only so many event types are kept, of any length, and those that are kept go on being noted', async () => {
  const project = await newProject();
  const em = await database();
  const [before, now] = [new Date('2026-05-01T00:00:00.000Z'), new Date('2026-06-01T00:00:00.000Z')];
  const long = 'é'.repeat(1000);
  await noteEventType(em, project.id, long, before);
  await rows(
    em,
    sql`insert into event_types (project_id, type_hash, type, last_seen_at)
        select ${project.id}, sha256(n::text::bytea), n::text, ${before} from generate_series(1, 999) n`,
  );
  await noteEventType(em, project.id, 'one too many', now);
  await noteEventType(em, project.id, long, now);
  await noteEventType(em, project.id, long, before);
  const seen = await seenEventTypes(em, project.id, now);
  expect(seen).toHaveLength(1000);
  expect(seen[0]).toEqual({ type: long, last_seen_at: now });
  expect(seen.some(({ type }) => type === 'one too many')).toBe(false);
});

test('the event types of events that came before the migration are told, the latest of each', async () => {
  const database = await earlierDatabase('0028_send_counts');
  try {
    const client = await database.connect();
    await client.query(`
      insert into contacts (id, project_id, email, status, brand_id) values (gen_random_uuid(), '${PROJECT}', 'a@to.example', 'subscribed', 'p');
      insert into events (id, project_id, contact_id, type, data, created_at)
      select gen_random_uuid(), '${PROJECT}', c.id, t.type, '{}', t.at::timestamptz
      from contacts c, (values ('early', '2026-01-01T00:00Z'), ('late', '2026-01-02T00:00Z'), ('early', '2026-01-03T00:00Z')) t(type, at)`);
    await migrateUp(database.url);
    const { rows: seen } = await client.query('select type, last_seen_at from event_types order by type');
    expect(seen).toEqual([
      { type: 'early', last_seen_at: new Date('2026-01-03T00:00Z') },
      { type: 'late', last_seen_at: new Date('2026-01-02T00:00Z') },
    ]);
  } finally {
    await database.close();
  }
});
