import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { sumCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { row, rows } from '../../db/rows.ts';
import { KEY_VALID_MS, OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { NO_JOURNAL } from '../../sending/journal/submission-journal.ts';
import type { LeftBatches } from '../../sending/left-batches.ts';
import { cancelCampaign } from '../../usecases/campaigns/cancel-campaign.ts';
import { untilBlocked } from '../support/blocked.ts';
import { changeTables } from '../support/change-tables.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { RATE_LIMITED } from '../support/resend-server.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import {
  batchOf,
  campaignProcesses,
  leftInTheMiddle,
  openedLongAgo,
  RECORDED,
  resolvedCampaign,
  SIZE,
  settle,
  TAKEN,
  UNBEGUN,
  unknownOf,
} from './campaign-processes.ts';

const processes = campaignProcesses();
const { server, opening, newProcess, runUntilKilled } = processes;

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

/** The provider may have forgotten what was submitted under them. */
const KEYS_GROWN_OLD = sql`doubted_at = (select array_agg(d.at - make_interval(secs => ${KEY_VALID_MS / 1000}) order by d.place)
  from unnest(doubted_at) with ordinality as d(at, place))`;

test('of a batch that is reopened nobody who has a row goes again, and a provider that wants mails later changes no key', async () => {
  const { id } = await leftInTheMiddle(processes, em, project);
  const second = await newProcess();
  expect(await settle(second, id)).toBe(0);
  const reopened = await batchOf(em, id);
  expect(reopened).toMatchObject({ state: 'pending', recipients: TAKEN + UNBEGUN, maybe_submitted: TAKEN });
  server().always(() => ({ refused: { ...RATE_LIMITED, retryAfterSeconds: 30 } }));
  expect(await second.run(id)).toMatchObject({ sent: 0, away: expect.any(Object) });
  const later = await batchOf(em, id);
  expect(later).toMatchObject({ state: 'pending', recipients: TAKEN + UNBEGUN, maybe_submitted: TAKEN });
  expect(later?.keys.toSorted()).toEqual(reopened?.keys.toSorted());
  server().always(() => undefined);
  await rows(em, sql`update campaign_pages set available_at = '-infinity' where campaign_id = ${id}`);
  expect(await second.run(id)).toMatchObject({ sent: TAKEN + UNBEGUN });
  expect(server().takenTwice()).toEqual([]);
  expect(server().taken()).toHaveLength(SIZE);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: SIZE, failed: 0, skipped: 0, cancelled: 0 });
  expect(await batchOf(em, id)).toBeUndefined();
});

test('a provider whose connections are cut for a while fails nobody, and when it is back each mail goes under its first key', async () => {
  const { id } = await resolvedCampaign(em, project);
  let cut = 0;
  // Of those that it takes the answer is lost, again and again.
  server().always(() => (++cut % 2 === 0 ? { refused: 'cut' } : { lost: 'cut' }));
  const { run } = await newProcess();
  expect(await run(id)).toMatchObject({ sent: 0, failed: 0, away: expect.any(Object) });
  const left = await batchOf(em, id);
  expect(left).toMatchObject({ state: 'pending', recipients: SIZE });
  expect(left?.maybe_submitted).toBeGreaterThan(0);
  expect(await unknownOf(em, id)).toBe(0);
  server().always(() => undefined);
  await rows(em, sql`update campaign_pages set available_at = '-infinity' where campaign_id = ${id}`);
  expect(await run(id)).toMatchObject({ sent: SIZE });
  expect(server().takenTwice()).toEqual([]);
  expect(server().taken()).toHaveLength(SIZE);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: SIZE, failed: 0, skipped: 0, cancelled: 0 });
});

test('mails of unknown outcome whose key the provider may have forgotten have their outcome, and the others go', async () => {
  const { id } = await leftInTheMiddle(processes, em, project);
  const second = await newProcess();
  await settle(second, id);
  server().forgetKeys();
  await rows(em, sql`update campaign_pages set ${KEYS_GROWN_OLD} where campaign_id = ${id}`);
  expect(await second.run(id)).toMatchObject({ sent: UNBEGUN });
  expect(server().takenTwice()).toEqual([]);
  expect(await unknownOf(em, id)).toBe(TAKEN);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: RECORDED + UNBEGUN, failed: TAKEN, skipped: 0, cancelled: 0 });
});

/** When those of its batch that may have been submitted first were, the first of them first. */
const submittedAt = async (id: string): Promise<Date[]> =>
  (
    await rows(
      em,
      sql<{
        at: Date;
      }>`select d.at from campaign_pages, unnest(doubted_at) as d(at) where campaign_id = ${id} and d.at is not null order by 1`,
    )
  ).map(({ at }) => at);

test('a key is as old as its first submission, however often its batch was opened since', async () => {
  const { id } = await leftInTheMiddle(processes, em, project);
  const first = await newProcess();
  await settle(first, id);
  const before = await submittedAt(id);
  expect(before).toHaveLength(TAKEN);
  // Killed as well, with the batch open, before it has submitted any of it.
  const openedAgain = async (): Promise<void> => {
    await runUntilKilled(id, (_real, theEnd) => () => theEnd);
    await eventually(async () => (await batchOf(em, id))?.state === 'open');
    await openedLongAgo(em, id);
  };
  await openedAgain();
  expect(await settle(first, id)).toBe(0);
  expect(await submittedAt(id)).toEqual(before);
  await openedAgain();
  await rows(em, sql`update campaign_pages set ${KEYS_GROWN_OLD} where campaign_id = ${id}`);
  expect(await settle(first, id)).toBe(TAKEN);
  expect(await unknownOf(em, id)).toBe(TAKEN);
  expect(await batchOf(em, id)).toMatchObject({ state: 'pending', recipients: UNBEGUN, maybe_submitted: 0 });
});

test('a key is as old as its first submission, however often its provider could not tell since what became of it', async () => {
  const { id } = await leftInTheMiddle(processes, em, project);
  const second = await newProcess();
  await settle(second, id);
  const before = await submittedAt(id);
  server().always(() => ({ refused: 'cut' }));
  expect(await second.run(id)).toMatchObject({ sent: 0, away: expect.any(Object) });
  const after = await submittedAt(id);
  expect(after).toHaveLength(TAKEN + UNBEGUN);
  expect(after.slice(0, TAKEN)).toEqual(before);
});

test('a process keeps the mails of a campaign in its journal until their outcomes stand', async () => {
  const { id } = await resolvedCampaign(em, project);
  const recorded: string[] = [];
  const { run } = await newProcess(undefined, { ...NO_JOURNAL, recorded: (sendId) => void recorded.push(sendId) });
  await changeTables(
    em,
    `
    create function record_slowly() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4715); return new; end $$;
    create trigger record_slowly before insert on sends for each row when (new.source_id = '${id}') execute function record_slowly();`,
  );
  const { running } = await em.transactional(async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(4715)`);
    const running = run(id);
    await untilBlocked(tx);
    await eventually(() => server().taken().length === SIZE);
    expect(recorded).toEqual([]);
    return { running };
  });
  expect(await running).toMatchObject({ sent: SIZE });
  await changeTables(em, 'drop trigger record_slowly on sends; drop function record_slowly;');
  expect(recorded).toHaveLength(SIZE);
});

test('who unsubscribed since is not mailed again: its outcome is unknown when the mail may have gone, skipped when it was never begun', async () => {
  const { id, emails } = await leftInTheMiddle(processes, em, project);
  const gone = new Set(
    server()
      .taken()
      .map(({ to }) => to),
  );
  const unbegun = emails.filter((email) => !gone.has(email));
  expect(unbegun).toHaveLength(UNBEGUN);
  const [never] = unbegun as [string];
  const { to: maybe } = server().taken().at(-1) ?? { to: '' };
  for (const email of [never, maybe]) must(await project.api.post('/contacts', { email, status: 'unsubscribed' }), 200);
  const second = await newProcess();
  await settle(second, id);
  const before = server().requests.length;
  await second.run(id);
  expect(
    server()
      .requests.slice(before)
      .map(({ to }) => to),
  ).not.toContain(maybe);
  expect(server().taken(never)).toEqual([]);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: SIZE - 2, failed: 1, skipped: 1, cancelled: 0 });
  expect(await unknownOf(em, id)).toBe(1);
});

test('a cancel counts as cancelled only those to whom nothing was ever submitted', async () => {
  const { id } = await leftInTheMiddle(processes, em, project);
  const second = await newProcess();
  await settle(second, id);
  expect(await cancelCampaign(em.fork(), second.sending.sending.leftBatches, { projectId: project.id, id })).toBe(UNBEGUN);
  expect(await unknownOf(em, id)).toBe(TAKEN);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: RECORDED, failed: TAKEN, skipped: 0, cancelled: UNBEGUN });
  expect(await batchOf(em, id)).toBeUndefined();
});

test('a cancel while the batch of a killed process is still open reads the journal of that process', async () => {
  const { id } = await leftInTheMiddle(processes, em, project);
  const second = await newProcess();
  expect(await cancelCampaign(em.fork(), second.sending.sending.leftBatches, { projectId: project.id, id })).toBe(UNBEGUN);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: RECORDED, failed: TAKEN, skipped: 0, cancelled: UNBEGUN });
});

test('a cancel counts what is in the batch of a killed process also when the sweeper has that batch in its hands', async () => {
  const { id } = await leftInTheMiddle(processes, em, project);
  const { sending } = (await newProcess()).sending;
  const lookedOnce = Promise.withResolvers<void>();
  const leftBatches: LeftBatches = {
    ...sending.leftBatches,
    async settle(...given) {
      const unknown = await sending.leftBatches.settle(...given);
      lookedOnce.resolve();
      return unknown;
    },
  };
  const { cancelling } = await em.fork().transactional(async (sweeper) => {
    await row(sweeper, sql`select 1 from campaign_pages where campaign_id = ${id} for update`);
    const cancelling = cancelCampaign(em.fork(), leftBatches, { projectId: project.id, id });
    await lookedOnce.promise;
    return { cancelling };
  });
  expect(await cancelling).toBe(UNBEGUN);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: RECORDED, failed: TAKEN, skipped: 0, cancelled: UNBEGUN });
});

test('without the journal of its process the whole rest of a batch has an unknown outcome, after others have had their time to settle it', async () => {
  const { id } = await leftInTheMiddle(processes, em, project);
  const elsewhere = await opening();
  const settleElsewhere = (ageMs: number) =>
    em.fork().transactional((tx) => elsewhere.sending.leftBatches.settle(tx, id, { ageMs, mayWait: true }));
  expect(await settleElsewhere(OUTCOME_UNKNOWN_AFTER_MS)).toBeUndefined();
  await rows(
    em,
    sql`update campaign_pages set opened_at = now() - make_interval(secs => ${SETTLED_AFTER_MS / 1000}) where campaign_id = ${id}`,
  );
  await settleElsewhere(OUTCOME_UNKNOWN_AFTER_MS);
  expect(await unknownOf(em, id)).toBe(TAKEN + UNBEGUN);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: RECORDED, failed: TAKEN + UNBEGUN });
});
