import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { failingSequences, failingTemplates } from '../../../db/queries/operations/failures.ts';
import { row } from '../../../db/rows.ts';
import { chain } from '../../domain/sequences/graphs.ts';
import { newFlow } from '../../support/flow.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { readInPasses } from '../../support/read-in-passes.ts';
import { enableTemplates, enrollmentEnds, must, newContact } from '../../support/sequences.ts';

const LACKS = 'required data is missing: resetUrl';
const mail = (id: string, template: string) => ({ id, kind: 'send_email', config: { template } });

const itemsOf = async (of: Pick<TestProject, 'api'>) => must(await of.api.get('/attention'), 200).items;

test('a sequence is named whose runs failed or had mails that could not be rendered, by runs, with the commonest reason', async () => {
  const [em, project] = [await database(), await newProject()];
  await enableTemplates(project, 'welcome', 'password-reset');
  const lacking = await newFlow(project, chain(mail('one', 'password-reset'), mail('two', 'password-reset')));
  const fine = await newFlow(project, chain(mail('goes', 'welcome')));
  const beyond = '{% for i in (1..90000) %}{% if i == 0 %}x{% endif %}{% endfor %}ok';
  const failing = await newFlow(project, chain({ id: 'u', kind: 'update_contact', config: { addTags: Array(100).fill(beyond) } }));
  const run = async (flow: { enroll(email: string): Promise<string> }) => {
    const email = project.address();
    await newContact(project, email);
    const id = await flow.enroll(email);
    await enrollmentEnds(em, id);
    return id;
  };
  const [failed, first] = [await run(failing), await run(lacking)];
  await run(lacking);
  await run(fine);
  const wanted = [
    { kind: 'sequence_failing', about: lacking.key, count: 2, since: expect.any(String), reason: `render_failed: ${LACKS}` },
    { kind: 'sequence_failing', about: failing.key, count: 1, since: expect.any(String), reason: expect.stringMatching(/over the budget/) },
    { kind: 'rendering_failed', about: 'password-reset', count: 4, since: expect.any(String), reason: LACKS },
  ].map((item) => expect.objectContaining(item));
  expect(await itemsOf(project)).toEqual(wanted);
  // What is longer ago than a day is over.
  await row(em, sql`update sends set created_at = now() - interval '25 hours' where enrollment_id = ${first}`);
  await row(em, sql`update enrollments set ended_at = now() - interval '25 hours' where id = ${failed}`);
  const later = await itemsOf(project);
  expect(later.map(({ about, count }: Record<string, unknown>) => [about, count])).toEqual([
    [lacking.key, 1],
    ['password-reset', 2],
  ]);
  expect(await itemsOf(await newProject())).toEqual([]);
});

test('mails of calls that could not be rendered are told by template, until they are sent again, and none of a test', async () => {
  const project = await newProject();
  await enableTemplates(project, 'password-reset');
  const to = project.address();
  const fail = async (body: object) => expect((await project.api.post('/send', { to, ...body })).body.reason).toBe('render_failed');
  await fail({ template: 'password-reset' });
  await fail({ subject: '{{ name', text: 'Hello', type: 'transactional' });
  expect((await project.api.post('/templates/password-reset/test', { to, data: {} })).body.reason).toBe('render_failed');
  const told = async () => (await itemsOf(project)).map(({ kind, about, count }: Record<string, unknown>) => [kind, about, count]);
  expect(await told()).toEqual([
    ['rendering_failed', null, 1],
    ['rendering_failed', 'password-reset', 1],
  ]);
  const { sends } = must(await project.api.get('/sends?template=password-reset&sourceType=api'), 200);
  await project.api.post(`/sends/${sends[0].id}/retry`, { data: { resetUrl: 'https://example.com' } });
  expect(await told()).toEqual([['rendering_failed', null, 1]]);
});

test('what failed is told to keys that read sequences, or the send log, and to no other', async () => {
  const [em, project] = [await database(), await newProject()];
  await enableTemplates(project, 'password-reset');
  const email = project.address();
  await newContact(project, email);
  await enrollmentEnds(em, await (await newFlow(project, chain(mail('lacks', 'password-reset')))).enroll(email));
  const kinds = async (scopes: readonly string[]) =>
    (await itemsOf(await project.newKey(scopes))).map(({ kind }: { kind: string }) => kind);
  expect(await kinds(['send'])).toEqual([]);
  expect(await kinds(['campaigns:read'])).toEqual([]);
  expect(await kinds(['sequences:read'])).toEqual(['sequence_failing']);
  expect(await kinds(['sends:read'])).toEqual(['rendering_failed']);
});

test('among very many mails and runs that went well what failed is found by index', async () => {
  const em = (await ownDatabase()).em.fork();
  const project = await bareProject(em);
  const { id, slug } = project;
  await row(
    em,
    sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, status, error, created_at)
        select gen_random_uuid(), ${id}, ${slug}, n || '@to.example', 't', 'marketing', 'api', case when n % 4 = 0 then 'failed' else 'sent' end,
               case when n % 4 > 0 then null when n % 4000 = 0 then 'render_failed: why' else 'provider_rejected: no' end, now()
        from generate_series(1, 40000) n`,
  );
  await row(
    em,
    sql`with s as (insert into sequences (id, project_id, key, name, status, version) values (gen_random_uuid(), ${id}, 's', 'S', 'active', 1) returning id)
        insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, status, end_reason, ended_at)
        select gen_random_uuid(), ${id}, s.id, 1, gen_random_uuid(), 'completed', case when n % 4000 = 0 then 'failed' else 'exit' end, now()
        from s, generate_series(1, 40000) n`,
  );
  await row(em, sql`analyze`);
  const since = new Date(Date.now() - 86_400_000);
  const read = await readInPasses(em, async (tx) => {
    expect(await failingTemplates(tx, id, since)).toEqual([{ template: 't', count: 10, reason: 'why' }]);
    expect(await failingSequences(tx, id, since)).toEqual([{ key: 's', name: 'S', count: 10, reason: 'failed' }]);
  });
  expect(read).toEqual({});
});
