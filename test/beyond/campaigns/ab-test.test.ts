import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { bucketOf } from '../../../domain/buckets.ts';
import { campaignWorkflowId, RETRY_NOW_SIGNAL } from '../../../workflows/contracts.ts';
import { campaignBecomes, campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { mailNow } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { tell, temporalClient } from '../../support/temporal.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

const VARIANTS = [
  { key: 'plain', subject: 'Plain' },
  { key: 'short', subject: 'Short' },
];
const TEST = { share: 20, decideBy: 'clicks', afterHours: 4 };
const DATA = { title: 'News' };

/** A campaign with a test to so many people. */
async function tested(size: number, fields: object = {}): Promise<{ id: string; emails: string[] }> {
  const { tag, emails } = await newAudience(project, size);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, data: DATA, variants: VARIANTS, test: TEST, ...fields });
  return { id, emails };
}

/** The mails of the test have gone, and the rest waits. */
const waits = (id: string) =>
  campaignBecomes(
    project,
    id,
    ({ sent_count, variants }) => sent_count > 0 && sent_count === variants[0].recipients + variants[1].recipients,
  );

/** As if the time of its schedule had come. */
async function hourComes(id: string): Promise<void> {
  await rows(await database(), sql`update campaigns set scheduled_at = now() where id = ${id}`);
  await tell(await temporalClient(), campaignWorkflowId(id), RETRY_NOW_SIGNAL);
}

/** As if the hours had passed. */
async function hoursPass(id: string): Promise<void> {
  const em = await database();
  await campaignBecomes(project, id, ({ test: { decides_at } }) => decides_at !== null);
  await rows(em, sql`update campaigns set decides_at = now() where id = ${id}`);
  await tell(await temporalClient(), campaignWorkflowId(id), RETRY_NOW_SIGNAL);
}

const resultsOf = async (id: string) => must(await project.api.get(`/campaigns/${id}/results`), 200);

/** How many got which subject. */
async function subjectsOf(emails: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { raw } of await mailNow(emails[0]!.slice(emails[0]!.indexOf('@')))) {
    const text = raw.toString();
    if (!emails.some((email) => text.includes(`To: ${email}`))) continue;
    const subject = /^Subject: (.*)$/m.exec(text)![1]!.trim();
    counts[subject] = (counts[subject] ?? 0) + 1;
  }
  return counts;
}

interface VariantShown {
  readonly key: string;
  readonly recipients: number;
  readonly phases: Readonly<Record<'test' | 'rest', { readonly sent: number }>>;
}

/** By the rule that is documented: docs/contract/campaigns.md 75. */
async function expectedOf(id: string): Promise<{ plain: number; short: number; rest: number }> {
  const contacts = await rows(
    await database(),
    sql<{ id: string }>`
    select id from contacts where project_id = ${project.id} and tags @> (select array[audience ->> 'tag'] from campaigns where id = ${id})`,
  );
  const size = Math.round((contacts.length * TEST.share) / 100);
  const parts = { plain: size, short: size, rest: contacts.length - 2 * size };
  // In the order of their hashes they are of the first, the second, and the rest.
  const order = contacts.map((contact) => bucketOf(`${id}:${contact.id}`)).toSorted((a, b) => a - b);
  const ends = await rows(await database(), sql<{ ends: number[] }>`select test_bounds as ends from campaigns where id = ${id}`);
  expect(ends[0]!.ends).toEqual([order[size], order[2 * size]]);
  return parts;
}

describe('a test that decides', () => {
  test('goes to its shares and to nobody else until it is decided; where so few tell nothing the rest gets the default', async () => {
    const { id, emails } = await tested(60, { test: { ...TEST, default: 'short' } });
    const expected = await expectedOf(id);
    const shown = await waits(id);
    expect(shown).toMatchObject({ status: 'sending', reason: null, total_recipients: 60, sent_count: expected.plain + expected.short });
    // A word of operators ends no test.
    const client = await temporalClient();
    await client.workflow.getHandle(campaignWorkflowId(id)).signal(RETRY_NOW_SIGNAL);
    await campaignBecomes(project, id, ({ test: { decides_at } }) => decides_at !== null);
    expect((await campaignOf(project, id)).test).toMatchObject({ ...TEST, default: 'short', decision: null });
    await hoursPass(id);
    const ended = await campaignEnds(project, id);
    expect(ended).toMatchObject({ status: 'sent', sent_count: 60 });
    expect(ended.test.decision).toMatchObject({ winner: 'short', reason: 'small_sample' });
    await checkCampaign(await database(), project, id, emails);
    expect(await subjectsOf(emails)).toEqual({ Plain: expected.plain, Short: expected.short + expected.rest });
    const { byVariant } = await resultsOf(id);
    const phases = byVariant.map(({ key, recipients, phases: { test: tried, rest } }: VariantShown) => [
      key,
      recipients,
      tried.sent,
      rest.sent,
    ]);
    expect(phases).toEqual([
      ['plain', expected.plain, expected.plain, 0],
      ['short', expected.short + expected.rest, expected.short, expected.rest],
    ]);
  });

  test('the arm that did significantly better goes to the rest', async () => {
    const { id, emails } = await tested(900);
    await waits(id);
    expect((await resultsOf(id)).test).toMatchObject({ leader: null, variants: [{ rate: 0 }, { rate: 0 }] });
    const hits = sql`insert into campaign_counts (campaign_id, variant, counter, delta) values (${id}, 'plain', 'clicked', 20), (${id}, 'short', 'clicked', 60)`;
    await rows(await database(), hits);
    const { test: verdict } = await resultsOf(id);
    expect(verdict).toMatchObject({ decideBy: 'clicks', leader: 'short', reason: 'significant', variants: [{ hits: 20 }, { hits: 60 }] });
    expect(verdict.p).toBeLessThan(0.05);
    await hoursPass(id);
    const ended = await campaignEnds(project, id);
    expect(ended.test.decision).toMatchObject({ winner: 'short', reason: 'significant' });
    const checked = await checkCampaign(await database(), project, id, emails);
    expect(checked.sent).toBe(900);
    const expected = await expectedOf(id);
    expect(await subjectsOf(emails)).toEqual({ Plain: expected.plain, Short: 900 - expected.plain });
  });

  test('a goal decides by the events of those it was tried on', async () => {
    const { id, emails } = await tested(40, { test: { ...TEST, decideBy: 'goal' }, goal: { event: 'bought', withinHours: 24 } });
    await waits(id);
    const people = must(await project.api.get(`/sends?sourceType=campaign&sourceId=${id}&variant=short`), 200).sends;
    must(await project.api.post('/events', { type: 'bought', email: people[0].to_email }), 200);
    const { test: verdict } = await resultsOf(id);
    expect(verdict.variants.map(({ hits }: { hits: number }) => hits)).toEqual([0, 1]);
    await hoursPass(id);
    const { test: decided } = await campaignEnds(project, id);
    expect(decided.decision).toMatchObject({ winner: 'plain', reason: 'small_sample', variants: [{ hits: 0 }, { hits: 1 }] });
    expect(emails.length).toBe(40);
  });

  test('somebody may choose before: of calls at once one does, and the same choice once more is none', async () => {
    const { id, emails } = await tested(40, { test: { share: 20, decideBy: 'hand', afterHours: 5 } });
    await waits(id);
    await rows(
      await database(),
      sql`insert into campaign_counts (campaign_id, variant, counter, delta) values (${id}, 'plain', 'clicked', 5)`,
    );
    await campaignBecomes(project, id, ({ test: { decides_at } }) => decides_at !== null);
    // Nothing is judged: somebody looks at what each came to.
    const results = await resultsOf(id);
    const nothing = { hits: null, rate: null, low: null, high: null };
    const variants = VARIANTS.map(({ key }) => ({ key, mails: 8, ...nothing }));
    expect(results.test).toEqual({ decideBy: 'hand', leader: null, reason: null, p: null, variants });
    expect(results.byVariant).toMatchObject([{ phases: { test: { sent: 8, clicked: 5 } } }, { phases: { test: { sent: 8, clicked: 0 } } }]);
    const choose = (variant: string, of = project) => of.api.post(`/campaigns/${id}/winner`, { variant });
    expect((await choose('other')).body).toMatchObject({ code: 'invalid_request', issues: [{ path: 'variant' }] });
    expect((await choose('short', await newProject())).status).toBe(404);
    const answers = await Promise.all([choose('plain'), choose('short'), choose('plain'), choose('short')]);
    const [taken] = answers.filter(({ status }) => status === 200);
    const { winner } = taken!.body.campaign.test.decision;
    for (const [nth, { status, body }] of answers.entries())
      expect([status, body.code]).toEqual(nth % 2 === (winner === 'plain' ? 0 : 1) ? [200, undefined] : [422, 'invalid_status']);
    const ended = await campaignEnds(project, id);
    expect(ended.test.decision).toMatchObject({
      winner,
      reason: 'by_hand',
      variants: [
        { mails: 8, hits: null },
        { mails: 8, hits: null },
      ],
    });
    // It is not to be decided any more.
    expect(ended.test.decides_at).toBeNull();
    await checkCampaign(await database(), project, id, emails);
    expect((await choose(winner)).status).toBe(200);
  });

  test('a choice before the campaign begins is what the rest gets at once', async () => {
    const { id, emails } = await tested(30, {
      test: { share: 20, decideBy: 'hand' },
      scheduleAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    must(await project.api.post(`/campaigns/${id}/winner`, { variant: 'short' }), 200);
    await hourComes(id);
    const ended = await campaignEnds(project, id);
    expect(ended).toMatchObject({ status: 'sent', sent_count: 30 });
    const expected = await expectedOf(id);
    expect(await subjectsOf(emails)).toEqual({ Plain: expected.plain, Short: 30 - expected.plain });
  });

  test('variants that come after a choice take it back, and the rest waits for another one', async () => {
    const scheduleAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, emails } = await tested(30, { test: { share: 20, decideBy: 'hand' }, scheduleAt });
    const { version } = must(await project.api.get(`/campaigns/${id}`), 200).draft;
    must(await project.api.post(`/campaigns/${id}/winner`, { variant: 'short' }), 200);
    expect((await project.api.call('PATCH', `/campaigns/${id}?ifVersion=${version}`, { variants: VARIANTS })).status).toBe(409);
    const others = [
      { key: 'one', subject: 'One' },
      { key: 'two', subject: 'Two' },
    ];
    must(await project.api.call('PATCH', `/campaigns/${id}`, { variants: others }), 200);
    expect((await campaignOf(project, id)).test.decision).toBeNull();
    await hourComes(id);
    await waits(id);
    must(await project.api.post(`/campaigns/${id}/winner`, { variant: 'two' }), 200);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 30 });
    await checkCampaign(await database(), project, id, emails);
  });

  test('of so few that nobody is left for the rest it is over with the test', async () => {
    const { id, emails } = await tested(2, { test: { share: 1, decideBy: 'hand' } });
    const ended = await campaignEnds(project, id);
    expect(ended).toMatchObject({ status: 'sent', sent_count: 2 });
    await checkCampaign(await database(), project, id, emails);
  });

  test.each([
    [1, 10, 2, [1, 0]],
    [3, 49, 2, [1, 1]],
    [25, 10, 2, [3, 3]],
    [40, 10, 3, [4, 4, 4]],
    [101, 24, 4, [24, 24, 24, 24]],
  ])('of %i recipients %i percent are as many, for each of %i arms', async (size, share, many, recipients) => {
    const variants = ['a', 'b', 'c', 'd'].slice(0, many).map((key) => ({ key }));
    // Also where they are found apart by their zones.
    const sendWindow = { from: '00:00', to: '24:00', timezone: 'contact', fallback: 'Etc/UTC' };
    for (const further of [{}, { sendWindow }]) {
      const { id } = await tested(size, { variants, test: { share, decideBy: 'hand' }, ...further });
      const shown = await campaignOf(project, id);
      expect(shown.variants.map((variant: VariantShown) => variant.recipients)).toEqual(recipients);
      await project.api.post(`/campaigns/${id}/cancel`);
    }
  });

  test('the goal that a test decides by stays, and more hits than emails are told as one of each', async () => {
    const { id } = await tested(20, { test: { ...TEST, decideBy: 'goal' }, goal: { event: 'bought', withinHours: 24 } });
    const setGoal = (goal: object | null) => project.api.call('PATCH', `/campaigns/${id}`, { goal });
    for (const goal of [null, { event: 'paid', withinHours: 24 }, { event: 'bought', withinHours: 25 }])
      expect(await setGoal(goal)).toMatchObject({ status: 422, body: { code: 'invalid_request', issues: [{ path: 'goal' }] } });
    must(await setGoal({ event: 'bought', withinHours: 24 }), 200);
    must(await project.api.post(`/campaigns/${id}/cancel`), 200);
    // Nothing is decided by it any more.
    must(await setGoal({ event: 'paid', withinHours: 24 }), 200);
    expect((await campaignOf(project, id)).test.decides_at).toBeNull();
    const { id: other } = await tested(20);
    await waits(other);
    await rows(
      await database(),
      sql`insert into campaign_counts (campaign_id, variant, counter, delta) values (${other}, 'plain', 'clicked', 50)`,
    );
    const [{ mails, hits, rate }] = (await resultsOf(other)).test.variants;
    expect([hits, rate]).toEqual([mails, mails === 0 ? 0 : 1]);
    must(await project.api.post(`/campaigns/${other}/cancel`), 200);
  });

  test('within a window the rest waits for the decision too, and its zones say when they may go', async () => {
    const sendWindow = { from: '00:00', to: '24:00', timezone: 'contact', fallback: 'Etc/UTC' };
    const { id, emails } = await tested(40, { sendWindow });
    const { sent_count } = await waits(id);
    const { zones } = must(await project.api.get(`/campaigns/${id}/zones`), 200);
    expect(zones).toMatchObject([{ timezone: null, recipients: 40, remaining: 40 - sent_count }]);
    expect(JSON.stringify(zones)).not.toContain('9999');
    await hoursPass(id);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 40 });
    await checkCampaign(await database(), project, id, emails);
  });

  test('cancelled while it waits, nobody of the rest gets it', async () => {
    const { id, emails } = await tested(40);
    const { sent_count } = await waits(id);
    expect(must(await project.api.post(`/campaigns/${id}/cancel`), 200).cancelledJobs).toBe(40 - sent_count);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'cancelled', sent_count, cancelled_count: 40 - sent_count });
    await checkCampaign(await database(), project, id, emails);
    expect((await project.api.post(`/campaigns/${id}/winner`, { variant: 'short' })).body.code).toBe('invalid_status');
  });

  test('what ends before its test can decide is taken with a warning, and a whole number is asked for', async () => {
    const { tag } = await newAudience(project, 2);
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const body = { template: 'newsletter', audience: { mode: 'tag', tag }, data: DATA, variants: VARIANTS, test: TEST };
    const times = { scheduleAt: inHours(1), endsAt: inHours(5) };
    const { campaignId, warnings } = must(await project.api.post('/campaigns', { ...body, ...times }), 201);
    expect(warnings).toMatchObject([{ path: 'endsAt' }]);
    const patch = (change: object) => project.api.call('PATCH', `/campaigns/${campaignId}`, change);
    expect(must(await patch({ name: 'x' }), 200).warnings).toMatchObject([{ path: 'endsAt' }]);
    expect(must(await patch({ endsAt: inHours(6) }), 200).warnings).toBeUndefined();
    must(await project.api.post(`/campaigns/${campaignId}/cancel`), 200);
    const draft = must(await project.api.post('/campaigns?draft=1', { ...body, ...times }), 201).campaignId;
    const launched = must(await project.api.post(`/campaigns/${draft}/launch`), 200);
    expect(launched.warnings).toMatchObject([{ path: 'endsAt' }]);
    must(await project.api.post(`/campaigns/${draft}/cancel`), 200);
    const refused = (await project.api.post('/campaigns', { ...body, test: { ...TEST, share: 10.5 } })).body.issues;
    expect(refused).toEqual([{ path: 'test.share', message: 'a whole number from 1 to 49' }]);
  });

  test('a draft has it, a copy keeps it, and what cannot be tested is refused at its place', async () => {
    const { tag } = await newAudience(project, 2);
    const body = { template: 'newsletter', audience: { mode: 'tag', tag }, data: DATA, variants: VARIANTS, test: TEST };
    const { campaignId } = must(await project.api.post('/campaigns?draft=1', body), 201);
    const copy = must(await project.api.post('/campaigns?draft=1', { copyOf: campaignId }), 201).campaignId;
    expect((await campaignOf(project, copy)).test).toMatchObject({ ...TEST, default: null, decides_at: null, decision: null });
    must(await project.api.call('PATCH', `/campaigns/${copy}`, { test: null }), 200);
    expect((await campaignOf(project, copy)).test).toBeNull();
    for (const [wrong, path] of [
      [{ variants: null }, 'test'],
      [{ test: { ...TEST, share: 50 } }, 'test.share'],
      [{ test: { ...TEST, afterHours: 0 } }, 'test.afterHours'],
      [{ test: { ...TEST, decideBy: 'luck' } }, 'test.decideBy'],
      [{ test: { ...TEST, decideBy: 'goal' } }, 'test.decideBy'],
      [{ test: { ...TEST, default: 'third' } }, 'test.default'],
      [{ schedule: { at: '09:00', date: '2030-01-01', timezone: 'contact' } }, 'test'],
    ] as const)
      expect((await project.api.post('/campaigns', { ...body, ...wrong })).body).toMatchObject({
        code: 'invalid_request',
        issues: [{ path }],
      });
  });
});
