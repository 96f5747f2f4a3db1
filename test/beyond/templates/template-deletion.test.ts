import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteProjectTemplate } from '../../../db/queries/templates/project-templates.ts';
import { rows } from '../../../db/rows.ts';
import { addSecondBrand, listed, made, saying, textSent } from '../../api/templates/own-template.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { campaignBecomes, campaignEnds, newAudience, newCampaign } from '../../support/campaigns.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, enrollmentEnds, must, newContact, newSequence, traceOf } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

describe('deleted', () => {
  test('a template is gone for all brands with what was set and written, and its key is free for another one', async () => {
    await addSecondBrand(project);
    await made(project, 'again');
    for (const brand of [undefined, 'second']) {
      must(await project.api.put('/templates/again', { brand, defaultSubject: 'Set' }), 200);
      must(await project.api.put('/templates/again/content', { brand, content: saying('Published.'), publish: true }), 200);
      must(await project.api.put('/templates/again/content', { brand, content: saying('Draft.') }), 200);
    }
    expect(await textSent(project, 'again')).toContain('Published.');
    expect(must(await project.api.delete('/templates/again'), 200)).toEqual({ ok: true, key: 'again', deleted: true });
    expect((await project.api.get('/templates/again/content')).body.code).toBe('unknown_template');
    expect((await project.api.delete('/templates/again')).status).toBe(404);
    await made(project, 'again', { content: saying('A new one.') });
    for (const brand of [project.slug, 'second']) {
      const content = must(await project.api.get(`/templates/again/content?brand=${brand}`), 200);
      expect(content).toEqual({ ok: true, key: 'again', defaultContent: saying('A new one.') });
    }
    expect(await listed(project, 'again')).toMatchObject({ enabled: false, subject: '' });
    await enableTemplates(project, 'again');
    expect(await textSent(project, 'again')).toContain('A new one.');
    must(await project.api.put('/templates/again/content', { content: saying('Its first.'), publish: true }), 200);
    must(await project.api.put('/templates/again/content', { content: saying('Its second.'), publish: true }), 200);
    must(await project.api.put('/templates/again/content', { content: saying('Its third.'), publish: true }), 200);
    expect(await textSent(project, 'again')).toContain('Its third.');
  });

  test('one of the installation is not, and the message says what turns it off', async () => {
    const { status, body } = await project.api.delete('/templates/welcome');
    expect([status, body.code]).toEqual([422, 'template_not_own']);
    expect(body.error).toContain('PUT /templates/welcome');
  });

  test.each([
    ['settings', ''],
    ['content', '/content'],
  ])('while its %s are written, a template leaves nothing behind', async (_, path) => {
    const key = `race${path.replace('/', '-')}`;
    await made(project, key);
    const em = await database();
    const { answer } = await em.transactional(async (tx) => {
      expect(await deleteProjectTemplate(tx, project.id, key)).toBe(true);
      const writing = project.api.put(`/templates/${key}${path}`, { content: saying('x') });
      await untilBlocked(tx);
      return { answer: writing };
    });
    expect((await answer).body.code).toBe('unknown_template');
    for (const table of ['template_settings', 'template_versions']) {
      expect(await rows(em, sql`select 1 from ${sql.table(table)} where project_id = ${project.id} and template = ${key}`)).toEqual([]);
    }
  });

  test('a template fails the steps of a sequence that send it, and the sequence goes on', async () => {
    await made(project, 'step');
    await enableTemplates(project, 'step', 'receipt');
    const sequence = await newSequence(project, { steps: [{ template: 'step' }, { template: 'receipt' }] });
    must(await project.api.delete('/templates/step'), 200);
    const email = project.address();
    await newContact(project, email);
    const em = await database();
    const id = await sequence.enroll(email);
    await enrollmentEnds(em, id);
    expect(await traceOf(em, id)).toEqual([
      'trigger enrolled',
      expect.stringContaining('failed'),
      expect.stringContaining('sent'),
      expect.stringContaining('ended'),
    ]);
    const log = must(await project.api.get(`/sends?q=${encodeURIComponent(email)}`), 200).sends;
    expect(log.map(({ template, error }: { template: string; error: string | null }) => [template, error])).toEqual([
      ['receipt', null],
      ['step', expect.stringMatching(/^unknown_template: /)],
    ]);
  });

  test('a template fails a campaign that has not begun, with the reason', async () => {
    await made(project, 'planned');
    await enableTemplates(project, 'planned');
    const { tag } = await newAudience(project, 2);
    const scheduleAt = new Date(Date.now() + 6_000).toISOString();
    const id = await newCampaign(project, { template: 'planned', audience: { mode: 'tag', tag }, scheduleAt });
    must(await project.api.delete('/templates/planned'), 200);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'failed', reason: 'unknown_template', skipped_count: 2 });
  });

  test('a template fails the recipients that a campaign has left, also when another one has its key by then', async () => {
    await made(project, 'running');
    await enableTemplates(project, 'running');
    const { tag } = await newAudience(project, 12);
    const id = await newCampaign(project, { template: 'running', audience: { mode: 'tag', tag }, ratePerSecond: 1 });
    await campaignBecomes(project, id, ({ sent_count }) => sent_count > 0);
    must(await project.api.post(`/campaigns/${id}/pause`), 200);
    must(await project.api.delete('/templates/running'), 200);
    await made(project, 'running', { content: saying('Another one.') });
    await enableTemplates(project, 'running');
    must(await project.api.post(`/campaigns/${id}/resume`), 200);
    const { status, sent_count, failed_count } = await campaignEnds(project, id);
    expect([status, sent_count + failed_count]).toEqual(['sent', 12]);
    expect(failed_count).toBeGreaterThan(0);
    const failed = must(await project.api.get('/sends?template=running&status=failed'), 200).sends;
    expect(failed.map(({ error }: { error: string }) => error)).toEqual(
      Array(failed_count).fill(expect.stringMatching(/^unknown_template: /)),
    );
  });
});
