import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { row } from '../../../db/rows.ts';
import { SCOPES } from '../../../domain/projects/scopes.ts';
import { changeProject } from '../../../usecases/projects/change-project.ts';
import { eventually } from '../../support/eventually.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { scheduledMails } from '../../support/scheduled-mails.ts';
import { enableTemplates, must, newContact, newSequence } from '../../support/sequences.ts';
import { createEndpoint } from '../../support/webhook-endpoints.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

describe('GET /me', () => {
  test('tells any key what it is, whose it is and what may send', async () => {
    const { api: by, id } = await project.newKey(['contacts:read']);
    const { project: shown, key, scopes, brands, temporal_web, mailbox, private_webhooks } = must(await by.get('/me'), 200);
    expect(shown).toMatchObject({ slug: project.slug, status: 'active', owner_email_verified: true });
    expect(key).toMatchObject({ id, scopes: ['contacts:read'], revoked_at: null });
    expect(scopes).toEqual(['contacts:read']);
    expect(JSON.stringify(key)).not.toContain('hash');
    expect(brands).toEqual([expect.objectContaining({ is_default: true, is_verified: true })]);
    expect(temporal_web === null || temporal_web.endsWith('/workflows')).toBe(true);
    expect(mailbox).toBe(null);
    // Receivers of tests are on this machine.
    expect(private_webhooks).toBe(true);
  });

  test('spells out what a key with * may do', async () => {
    expect(must(await project.api.get('/me'), 200)).toMatchObject({ key: { scopes: ['*'] }, scopes: SCOPES });
  });
});

describe('GET /keys', () => {
  test('lists the keys of the project only, with their last use and without what would let anybody in', async () => {
    const used = await project.newKey(['keys:read']);
    const other = await (await newProject()).newKey(['keys:read']);
    must(await used.api.get('/keys'), 200);
    const { keys } = must(await used.api.get('/keys'), 200);
    const ids = keys.map(({ id }: { id: string }) => id);
    expect(ids).toContain(project.keyId);
    expect(ids).not.toContain(other.id);
    expect(keys.find(({ id }: { id: string }) => id === used.id).last_used_at).toEqual(expect.any(String));
    for (const { public_id } of keys) expect(public_id).toMatch(/^[0-9A-Za-z]{8}$/);
    expect(Object.keys(keys[0]).sort()).toEqual([
      'created_at',
      'id',
      'is_test',
      'last_used_at',
      'made_by',
      'name',
      'public_id',
      'revoked_at',
      'scopes',
    ]);
  });
});

describe('GET /stats', () => {
  test('counts the project’s mails by hour and day, without gaps, and those withheld apart from others that failed', async () => {
    const counted = await newProject();
    await enableTemplates(counted, 'receipt');
    const suppressed = counted.address('away');
    must(await counted.api.post('/suppressions', { email: suppressed }), 201);
    for (const to of [counted.address('a'), counted.address('b'), suppressed]) await counted.api.post('/send', { to, template: 'receipt' });
    await enableTemplates(counted, 'password-reset');
    const incomplete = { to: counted.address('a'), template: 'password-reset' };
    expect((await counted.api.post('/send', incomplete)).body.reason).toBe('render_failed');
    for (const [period, bucket, buckets] of [
      ['24h', 'hour', 24],
      ['7d', 'day', 7],
      ['30d', 'day', 30],
    ] as const) {
      const stats = must(await counted.api.get(`/stats?period=${period}`), 200);
      expect({ bucket: stats.bucket, buckets: stats.counts.length }).toEqual({ bucket, buckets });
      expect(stats.totals).toEqual({ sent: 2, failed: 2, delivered: 0, bounced: 0, complained: 0, opened: 0, clicked: 0, withheld: 1 });
      const begins = stats.counts.map(({ from }: { from: string }) => Date.parse(from));
      const length = bucket === 'hour' ? 3_600_000 : 86_400_000;
      expect(begins.every((at: number, index: number) => at % length === 0 && (index === 0 || at - begins[index - 1] === length))).toBe(
        true,
      );
    }
    expect(must(await (await newProject()).api.get('/stats'), 200).totals.sent).toBe(0);
  });
});

describe('GET /attention', () => {
  test('is empty when all is well, and names what is not', async () => {
    const watched = await newProject();
    expect(must(await watched.api.get('/attention'), 200)).toMatchObject({ items: [] });

    await setBrand(await database(), watched.id, 'other', { from_email: 'hello@elsewhere.example' }, false);
    await enableTemplates(watched, 'receipt', 'welcome');
    const { key, enroll } = await newSequence(watched, { steps: [{ template: 'receipt', delayMinutes: 0.1 }] });
    const mailed = watched.address('mailed');
    await newContact(watched, mailed);
    const person = watched.address('run');
    await newContact(watched, person);
    await enroll(person);
    must(await watched.api.call('PATCH', `/sequences/${key}`, { status: 'paused' }), 200);
    const later = new Date(Date.now() + 86_400_000).toISOString();
    const audience = { mode: 'people', emails: [mailed] };
    const { campaignId } = must(
      await watched.api.post('/campaigns', { name: 'Later', template: 'welcome', audience, scheduleAt: later }),
      201,
    );
    must(await watched.api.post(`/campaigns/${campaignId}/pause`), 200);
    const endpoint = await createEndpoint(watched, 'http://127.0.0.1:1/nobody');
    must(await watched.api.post('/contacts', { email: watched.address('heard') }), 200);

    const whatIs = async () => must(await watched.api.get('/attention'), 200).items;
    await eventually(async () => (await whatIs()).length === 4);
    expect(await whatIs()).toEqual([
      expect.objectContaining({ kind: 'domain_unverified', about: 'other', count: null }),
      expect.objectContaining({ kind: 'campaign_held', about: campaignId, message: expect.stringContaining('paused') }),
      expect.objectContaining({
        ...{ kind: 'runs_held', about: 'paused', count: 1, sequences: [key] },
        message: '1 run waits: its sequence is paused; activate it to go on',
      }),
      expect.objectContaining({
        ...{ kind: 'webhook_failing', about: endpoint.id, count: 1 },
        message: 'http://127.0.0.1:1/nobody does not take deliveries: 1 waits for the next attempt',
      }),
    ]);

    const { id: segmentId } = must(await watched.api.post('/segments', { label: 'Everybody', filter: {} }), 201).segment;
    const forSegment = { name: 'Lost', template: 'welcome', audience: { mode: 'segment', segmentId }, scheduleAt: later };
    const { campaignId: lost } = must(await watched.api.post('/campaigns', forSegment), 201);
    expect(await whatIs()).toHaveLength(4);
    must(await watched.api.delete(`/segments/${segmentId}`), 200);
    expect(await whatIs()).toContainEqual(expect.objectContaining({ kind: 'campaign_without_segment', about: lost }));
    must(await watched.api.post(`/campaigns/${lost}/cancel`), 200);
    expect(await whatIs()).toHaveLength(4);
  });

  test('names scheduled mails that are more than ten minutes late, and those of no other project', async () => {
    const [em, watched, other] = [await database(), await newProject(), await newProject()];
    await enableTemplates(watched, 'receipt');
    const { scheduled } = scheduledMails(() => watched);
    const dueSince = async (minutes: number) => {
      const id = await scheduled({ to: watched.address() });
      await row(em, sql`update scheduled_sends set due_at = now() - make_interval(mins => ${minutes}::integer) where id = ${id}`);
    };
    const whatIs = async (of: TestProject) => must(await of.api.get('/attention'), 200).items;
    await dueSince(9);
    expect(await whatIs(watched)).toEqual([]);
    await dueSince(25);
    await dueSince(11);
    const late = { kind: 'scheduled_overdue', about: null, count: 2 };
    const words = '2 scheduled mails are overdue, the first by 25 minutes: ';
    expect(await whatIs(watched)).toEqual([{ ...late, message: expect.stringContaining(`${words}the mail provider`) }]);
    expect(await whatIs(other)).toEqual([]);
    await changeProject(em, watched.id, { owner_email_verified: false });
    expect(await whatIs(watched)).toEqual([
      expect.objectContaining({ kind: 'owner_unverified' }),
      { ...late, message: `${words}the owner's address is not verified` },
    ]);
  });
});
