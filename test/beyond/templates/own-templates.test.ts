import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { MOST_PROJECT_TEMPLATES } from '../../../domain/templates/registry-entry.ts';
import { input, listed, made, saying, textSent } from '../../api/templates/own-template.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { campaignBecomes, campaignEnds, newAudience, newCampaign } from '../../support/campaigns.ts';
import { mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { readMail } from '../../support/sent-mail.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
let stranger: TestProject;
beforeAll(async () => {
  [project, stranger] = [await newProject(), await newProject()];
});
/** Makes them while the project is locked, so that all have looked before the first one is made. */
const atOnce = async (by: TestProject, keys: readonly string[]) => {
  const { answers } = await (await database()).transactional(async (tx) => {
    await rows(tx, sql`select 1 from projects where id = ${by.id} for no key update`);
    const making = keys.map((key) => by.api.post('/templates', input(key)));
    await untilBlocked(tx, keys.length);
    return { answers: making };
  });
  return Promise.all(answers);
};

test("a project's own template is off at first, and then works as every other: settings, preview, versions and sends", async () => {
  const dataSchema = [{ path: 'what', kind: 'string', sample: 'a test' }];
  expect(await project.api.post('/templates', input('own', { dataSchema }))).toMatchObject({
    status: 201,
    body: { ok: true, key: 'own', type: 'transactional', enabled: false },
  });
  expect(await listed(project, 'own')).toEqual({
    key: 'own',
    name: expect.any(String),
    description: '',
    type: 'transactional',
    own: true,
    enabled: false,
    subject: '',
    from: null,
  });
  expect((await project.api.post('/send', { template: 'own', to: project.address() })).body.code).toBe('template_not_enabled');
  await enableTemplates(project, 'own');
  expect(must(await project.api.get('/templates/own/schema'), 200).dataSchema[0]).toMatchObject({ path: 'what', sample: 'a test' });
  expect(must(await project.api.post('/templates/own/preview', { data: { name: 'Ada', what: 'here' } }), 200)).toMatchObject({
    subject: 'For Ada',
    text: expect.stringContaining('It is here.'),
  });
  expect(await textSent(project, 'own')).toContain('It is yours.');
  must(await project.api.put('/templates/own/content', { content: saying('Now it is {{ what }}.'), publish: true }), 200);
  expect(await textSent(project, 'own')).toContain('Now it is yours.');
});

test('a template that was deleted and made anew is tested with what it says now', async () => {
  const tested = async (): Promise<string> => {
    const to = project.address();
    must(await project.api.post('/templates/anew/test', { to, data: { what: 'here' } }), 200);
    return (await readMail((await mailTo(to))[0]!.raw)).mail.text ?? '';
  };
  for (const text of ['Before.', 'After.']) {
    await made(project, 'anew');
    must(await project.api.put('/templates/anew/content', { content: saying(text), publish: text === 'Before.' }), 200);
    expect(await tested()).toContain(text);
    must(await project.api.delete('/templates/anew'), 200);
  }
});

test('two projects have templates of the same key, each its own, and neither sees that of the other', async () => {
  await made(project, 'mine');
  for (const answer of [
    await stranger.api.get('/templates/mine/schema'),
    await stranger.api.get('/templates/mine/content'),
    await stranger.api.put('/templates/mine', {}),
    await stranger.api.put('/templates/mine/content', { content: saying('x') }),
    await stranger.api.post('/templates/mine/preview', {}),
    await stranger.api.delete('/templates/mine'),
    await stranger.api.post('/send', { template: 'mine', to: stranger.address() }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'unknown_template']);
  }
  expect(await listed(stranger, 'mine')).toBeUndefined();
  await made(stranger, 'mine', { content: saying('Theirs.') });
  for (const one of [project, stranger]) await enableTemplates(one, 'mine');
  expect(await textSent(project, 'mine')).toContain('It is yours.');
  expect(await textSent(stranger, 'mine')).toContain('Theirs.');
});

test('a key that the installation or the project has is a conflict, also when two make it at once', async () => {
  const shipped = await project.api.post('/templates', input('welcome'));
  expect([shipped.status, shipped.body.code]).toEqual([409, 'duplicate_key']);
  const both = await atOnce(project, ['twice', 'twice']);
  expect(both.map(({ status, body }) => body.code ?? status).sort()).toEqual([201, 'duplicate_key']);
});

test('everything wrong with the subject and the content is told at once', async () => {
  const content = {
    blocks: [
      { type: 'txt', text: 'x' },
      { type: 'button', label: 'x', url: 'ftp://x' },
    ],
  };
  const { status, body } = await project.api.post('/templates', input('all-wrong', { subject: '{{ x', content }));
  expect([status, body.code]).toEqual([422, 'invalid_content']);
  expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(['subject', 'content.blocks[0].type', 'content.blocks[1].url']);
});

test.each<[string, object, string, string]>([
  ['a key with a blank', { key: 'a b' }, 'invalid_request', 'key'],
  ['an unknown type', { type: 'news' }, 'invalid_request', 'type'],
  ['no name', { name: '' }, 'invalid_request', 'name'],
  ['a blank subject', { subject: ' ' }, 'invalid_request', 'subject'],
  ['a subject that does not parse', { subject: '{{ x' }, 'invalid_content', 'subject'],
  [
    'a button that leads nowhere',
    { content: { blocks: [{ type: 'button', label: 'x', url: 'ftp://x' }] } },
    'invalid_content',
    'content.blocks[0].url',
  ],
  ['no content', { content: undefined }, 'invalid_request', 'content'],
  ['a path with a blank', { dataSchema: [{ path: 'a b', kind: 'string' }] }, 'invalid_request', 'dataSchema[0].path'],
  ['a path that is too long', { dataSchema: [{ path: 'a'.repeat(201), kind: 'string' }] }, 'invalid_request', 'dataSchema[0].path'],
  [
    'samples that are too large',
    { dataSchema: [{ path: 'a', kind: 'string', sample: 'x'.repeat(65_536) }] },
    'invalid_request',
    'dataSchema',
  ],
  ['too many fields', { dataSchema: Array(101).fill({ path: 'a', kind: 'string' }) }, 'invalid_request', 'dataSchema'],
])('%s makes no template', async (_, wrong, code, path) => {
  const { status, body } = await project.api.post('/templates', input('wrong', wrong));
  expect([status, body.code, body.issues?.[0]?.path]).toEqual([422, code, path]);
});

describe('the variables of a template', () => {
  const declare = (key: string, dataSchema: readonly object[], query = '', by = project) =>
    by.api.put(`/templates/${key}/schema${query}`, { dataSchema });
  const required = { path: 'code', kind: 'string', required: true, sample: 'X1' };

  test('are declared anew as a next version, which counts at once', async () => {
    await made(project, 'declared', { dataSchema: [{ path: 'what', kind: 'string' }] });
    await enableTemplates(project, 'declared');
    expect(await textSent(project, 'declared')).toContain('It is yours.');
    expect(must(await declare('declared', [required]), 200)).toMatchObject({ key: 'declared', version: 2 });
    const { declared, version, dataSchema } = must(await project.api.get('/templates/declared/schema'), 200);
    expect([declared, version]).toEqual([[required], 2]);
    expect(dataSchema.map(({ path }: { path: string }) => path)).toEqual(['code', 'name', 'what']);
    const sent = await project.api.post('/send', { template: 'declared', to: project.address(), data: { what: 'yours' } });
    expect(sent).toMatchObject({ status: 422, body: { code: 'send_failed', reason: 'render_failed' } });
    expect(must(await declare('declared', [required]), 200).version).toBe(2);
    expect(must(await declare('declared', []), 200).version).toBe(3);
    expect(await textSent(project, 'declared')).toContain('It is yours.');
  });

  test('are not required by null, which is the same as omitting it and makes no other version', async () => {
    const [none, omitted] = [
      { path: 'what', kind: 'string', required: null },
      { path: 'what', kind: 'string' },
    ];
    await made(project, 'null', { dataSchema: [none] });
    expect(must(await declare('null', [omitted]), 200).version).toBe(1);
    expect(must(await declare('null', [none]), 200).version).toBe(1);
    expect(must(await project.api.get('/templates/null/schema'), 200).declared).toEqual([omitted]);
  });

  test('are changed once by two who saw the same version, and only by the project that made it', async () => {
    await made(project, 'two-writers');
    const both = await Promise.all(['a', 'b'].map((path) => declare('two-writers', [{ path, kind: 'string' }], '?ifVersion=1')));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'version_conflict', version: 2 });
    expect((await declare('two-writers', [], '', stranger)).status).toBe(404);
    expect((await declare('receipt', [])).body.code).toBe('template_not_own');
    const reader = { ...project, api: (await project.newKey(['send'])).api };
    expect((await declare('two-writers', [], '', reader)).body.code).toBe('forbidden');
    const { status, body } = await declare('two-writers', [{ path: 'two words', kind: 'string' }]);
    expect([status, body.code, body.issues[0].path]).toEqual([422, 'invalid_request', 'dataSchema[0].path']);
  });

  test('are for a campaign under way what they were when it began', async () => {
    await made(project, 'under-way');
    await enableTemplates(project, 'under-way');
    const { tag } = await newAudience(project, 12);
    const id = await newCampaign(project, { template: 'under-way', audience: { mode: 'tag', tag }, ratePerSecond: 2 });
    await campaignBecomes(project, id, ({ sent_count }) => sent_count > 0);
    must(await project.api.post(`/campaigns/${id}/pause`), 200);
    must(await declare('under-way', [required]), 200);
    must(await project.api.post(`/campaigns/${id}/resume`), 200);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 12, failed_count: 0 });
  });
});

test('without the scope templates:write nothing is made or deleted', async () => {
  await made(project, 'kept');
  const reader = (await project.newKey(['contacts:read'])).api;
  expect((await reader.post('/templates', input('refused'))).body.code).toBe('forbidden');
  expect((await reader.delete('/templates/kept')).body.code).toBe('forbidden');
  expect(await listed(project, 'kept')).toBeDefined();
});

test('a project has at most so many, also when the last one is made twice at once', async () => {
  const em = await database();
  const crowded = await newProject();
  await rows(
    em,
    sql`
      insert into project_templates (id, project_id, key, type, name, description, subject, data_schema, content, compiled)
      select gen_random_uuid(), ${crowded.id}, 't' || n, 'marketing', 'n', '', 's', '[]', '{"blocks":[]}', '{}'
      from generate_series(2, ${MOST_PROJECT_TEMPLATES}::int) n`,
  );
  const both = await atOnce(crowded, ['a', 'b']);
  expect(both.map(({ status, body }) => body.code ?? status).sort()).toEqual([201, 'too_many_templates']);
});

test('a sequence with a template of its own is warned about and simulated as with every other', async () => {
  await made(project, 'asked', { dataSchema: [{ path: 'what', kind: 'string', required: true }] });
  const sequence = { key: 'asking', name: 'Asking', status: 'active', steps: [{ template: 'asked' }] };
  const messages = must(await project.api.post('/sequences', sequence), 201).warnings.map(({ message }: { message: string }) => message);
  expect(messages).toEqual([expect.stringContaining('asked is not enabled'), expect.stringContaining('asked requires what')]);
  const simulated = must(await project.api.post('/sequences/asking/simulate', { contact: {}, event: { type: 'x' } }), 200);
  expect(simulated.path).toContainEqual(expect.objectContaining({ detail: expect.stringContaining('render_failed') }));
});
