import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { resolveAudience } from '../../db/queries/campaigns/campaign-audience.ts';
import { sumCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { row, rows } from '../../db/rows.ts';
import { KEY_VALID_MS, OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import { createCampaignSenders, type SenderResult } from '../../sending/campaign-sender.ts';
import { createInFlight } from '../../sending/in-flight.ts';
import { journalsIn } from '../../sending/journal/read-journals.ts';
import { NO_JOURNAL, openJournal, type SubmissionJournal } from '../../sending/journal/submission-journal.ts';
import type { LeftBatches } from '../../sending/left-batches.ts';
import { NO_PACE } from '../../sending/send-pace.ts';
import { cancelCampaign } from '../../usecases/campaigns/cancel-campaign.ts';
import { untilBlocked } from '../support/blocked.ts';
import { newAudience, newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { RATE_LIMITED, type ResendServer, startResendServer } from '../support/resend-server.ts';
import { newSending, shippedTemplates, type TestSending } from '../support/sending.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
let server: ResendServer;
let folder: string;
const opened: TestSending[] = [];
/** Lets the calls of killed processes end. */
const ends: (() => void)[] = [];
/** Runs of killed processes: their database is closed when they have ended. */
const dyingRuns: Promise<unknown>[] = [];
let stopping: AbortController;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  folder = await mkdtemp(join(tmpdir(), 'everpost-campaign-key-'));
});

beforeEach(async () => {
  server = await startResendServer();
  stopping = new AbortController();
});

afterEach(async () => {
  stopping.abort();
  for (const end of ends.splice(0)) end();
  await Promise.allSettled(dyingRuns.splice(0));
  for (const each of opened.splice(0)) await each.close();
  await server.close();
});

afterAll(() => rm(folder, { recursive: true }));

/** Those whose rows stand, those who were taken and whose answers nobody heard, those that were not begun: of a killed process. */
const [RECORDED, TAKEN, UNBEGUN] = [10, 14, 6] as const;
const SIZE = RECORDED + TAKEN + UNBEGUN;
const AGE_OF_UNKNOWN_MS = (OUTCOME_UNKNOWN_AFTER_MS + SETTLED_AFTER_MS) / 2;

interface Process {
  readonly sending: TestSending;
  readonly run: (id: string) => Promise<SenderResult>;
}

async function newProcess(
  around: (real: MailProvider) => MailProvider['send'] = (real) => real.send,
  given?: SubmissionJournal,
): Promise<Process> {
  const real = createMailProvider(new URL(server.providerUrl), { maxConnections: 4, timeoutSeconds: 10 });
  const journal = given ?? (await openJournal({ folder, id: uuidv7(), log: createLogger('silent', {}) }));
  const sending = await newSending({ provider: { ...real, send: around(real) }, journal, journals: journalsIn(folder) });
  opened.push(sending);
  const senders = createCampaignSenders({
    em: sending.orm.em.fork(),
    sending: sending.sending,
    registry: await shippedTemplates(),
    inFlight: createInFlight({ connections: SIZE, pace: NO_PACE }),
    places: 2,
    newId: uuidv7,
  });
  const run = (id: string) => senders.run(id, { milliseconds: 60_000, signal: stopping.signal, progress: () => undefined });
  return { sending, run };
}

/** A campaign that may be sent; to the workers of the stack its time has not come. */
async function resolvedCampaign(): Promise<{ id: string; emails: readonly string[] }> {
  const { tag, emails } = await newAudience(project, SIZE);
  const audience = { mode: 'tag', tag } as const;
  const id = await newCampaign(project, { audience, scheduleAt: '2999-01-01T00:00:00Z' });
  const client = await temporalClient();
  await eventually(async () => readable(await workflowHistory(client, `campaign/${id}`)).includes('scheduled for'));
  await resolveAudience(em, { campaignId: id, projectId: project.id, audience, variants: null, ratePerSecond: null });
  await rows(em, sql`update campaigns set status = 'sending', resolved_at = now(), started_at = now() where id = ${id}`);
  return { id, emails };
}

/** One whose one batch was left by a process that was killed in the middle of it. */
async function leftInTheMiddle(): Promise<{ id: string; emails: readonly string[] }> {
  const { id, emails } = await resolvedCampaign();
  const theEnd = Promise.withResolvers<ProviderAnswer>();
  ends.push(() => theEnd.resolve({ outcome: 'unknown', message: 'the test is over' }));
  let begun = 0;
  const dying = await newProcess((real) => async (...given) => {
    const place = ++begun;
    if (place > RECORDED + TAKEN) return theEnd.promise;
    const answer = await real.send(...given);
    return place > RECORDED ? theEnd.promise : answer;
  });
  dyingRuns.push(dying.run(id));
  await eventually(async () => {
    const { sent } = await sumCampaignCounts(em, id);
    return sent === RECORDED && server.taken().length === RECORDED + TAKEN;
  });
  await rows(
    em,
    sql`update campaign_pages set opened_at = now() - make_interval(secs => ${AGE_OF_UNKNOWN_MS / 1000}) where campaign_id = ${id}`,
  );
  return { id, emails };
}

/** What the batch of a campaign is; undefined when it has none. */
const batchOf = (id: string) =>
  row(
    em,
    sql<{ state: string; recipients: number; maybe_submitted: number; keys: string[] }>`
      select state, cardinality(contact_ids) as recipients, send_ids as keys,
             (select count(d.at) from unnest(doubted_at) as d(at)) as maybe_submitted from campaign_pages where campaign_id = ${id}`,
  );

/** Returns of how many mails the outcome stays unknown. The stack's sweeper, which knows no journal of this file, may be looking at the batch just then. */
const settle = async ({ sending }: Process, id: string): Promise<number> => {
  const options = { ageMs: OUTCOME_UNKNOWN_AFTER_MS, mayWait: true };
  const { unknown } = await eventually(async () => {
    const found = await sending.orm.em.fork().transactional((tx) => sending.sending.leftBatches.settle(tx, id, options));
    return found !== undefined && { unknown: found };
  });
  return unknown;
};

/** The provider may have forgotten what was submitted under them. */
const KEYS_GROWN_OLD = sql`doubted_at = (select array_agg(d.at - make_interval(secs => ${KEY_VALID_MS / 1000}) order by d.place)
  from unnest(doubted_at) with ordinality as d(at, place))`;

const unknownOf = async (id: string): Promise<number> =>
  (await rows(em, sql`select 1 from sends where source_id = ${id} and status = 'failed' and error like 'outcome_unknown%'`)).length;

test('of a batch that is reopened nobody who has a row goes again, and a provider that wants mails later changes no key', async () => {
  const { id } = await leftInTheMiddle();
  const second = await newProcess();
  expect(await settle(second, id)).toBe(0);
  const reopened = await batchOf(id);
  expect(reopened).toMatchObject({ state: 'pending', recipients: TAKEN + UNBEGUN, maybe_submitted: TAKEN });
  server.always(() => ({ refused: { ...RATE_LIMITED, retryAfterSeconds: 30 } }));
  expect(await second.run(id)).toMatchObject({ sent: 0, away: expect.any(Object) });
  const later = await batchOf(id);
  expect(later).toMatchObject({ state: 'pending', recipients: TAKEN + UNBEGUN, maybe_submitted: TAKEN });
  expect(later?.keys.toSorted()).toEqual(reopened?.keys.toSorted());
  server.always(() => undefined);
  await rows(em, sql`update campaign_pages set available_at = '-infinity' where campaign_id = ${id}`);
  expect(await second.run(id)).toMatchObject({ sent: TAKEN + UNBEGUN });
  expect(server.takenTwice()).toEqual([]);
  expect(server.taken()).toHaveLength(SIZE);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: SIZE, failed: 0, skipped: 0, cancelled: 0 });
  expect(await batchOf(id)).toBeUndefined();
});

test('a provider whose connections are cut for a while fails nobody, and when it is back each mail goes under its first key', async () => {
  const { id } = await resolvedCampaign();
  let cut = 0;
  // Of those that it takes the answer is lost, again and again.
  server.always(() => (++cut % 2 === 0 ? { refused: 'cut' } : { lost: 'cut' }));
  const { run } = await newProcess();
  expect(await run(id)).toMatchObject({ sent: 0, failed: 0, away: expect.any(Object) });
  const left = await batchOf(id);
  expect(left).toMatchObject({ state: 'pending', recipients: SIZE });
  expect(left?.maybe_submitted).toBeGreaterThan(0);
  expect(await unknownOf(id)).toBe(0);
  server.always(() => undefined);
  await rows(em, sql`update campaign_pages set available_at = '-infinity' where campaign_id = ${id}`);
  expect(await run(id)).toMatchObject({ sent: SIZE });
  expect(server.takenTwice()).toEqual([]);
  expect(server.taken()).toHaveLength(SIZE);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: SIZE, failed: 0, skipped: 0, cancelled: 0 });
});

test('mails of unknown outcome whose key the provider may have forgotten have their outcome, and the others go', async () => {
  const { id } = await leftInTheMiddle();
  const second = await newProcess();
  await settle(second, id);
  server.forgetKeys();
  await rows(em, sql`update campaign_pages set ${KEYS_GROWN_OLD} where campaign_id = ${id}`);
  expect(await second.run(id)).toMatchObject({ sent: UNBEGUN });
  expect(server.takenTwice()).toEqual([]);
  expect(await unknownOf(id)).toBe(TAKEN);
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
  const { id } = await leftInTheMiddle();
  const first = await newProcess();
  await settle(first, id);
  const before = await submittedAt(id);
  expect(before).toHaveLength(TAKEN);
  // Killed as well, with the batch open, before it has submitted any of it.
  const openedAgain = async (): Promise<void> => {
    const theEnd = Promise.withResolvers<ProviderAnswer>();
    ends.push(() => theEnd.resolve({ outcome: 'unknown', message: 'the test is over' }));
    const dying = await newProcess(() => () => theEnd.promise);
    dyingRuns.push(dying.run(id));
    await eventually(async () => (await batchOf(id))?.state === 'open');
    const age = sql`make_interval(secs => ${AGE_OF_UNKNOWN_MS / 1000})`;
    await rows(em, sql`update campaign_pages set opened_at = now() - ${age} where campaign_id = ${id}`);
  };
  await openedAgain();
  expect(await settle(first, id)).toBe(0);
  expect(await submittedAt(id)).toEqual(before);
  await openedAgain();
  await rows(em, sql`update campaign_pages set ${KEYS_GROWN_OLD} where campaign_id = ${id}`);
  expect(await settle(first, id)).toBe(TAKEN);
  expect(await unknownOf(id)).toBe(TAKEN);
  expect(await batchOf(id)).toMatchObject({ state: 'pending', recipients: UNBEGUN, maybe_submitted: 0 });
});

test('a key is as old as its first submission, however often its provider could not tell since what became of it', async () => {
  const { id } = await leftInTheMiddle();
  const second = await newProcess();
  await settle(second, id);
  const before = await submittedAt(id);
  server.always(() => ({ refused: 'cut' }));
  expect(await second.run(id)).toMatchObject({ sent: 0, away: expect.any(Object) });
  const after = await submittedAt(id);
  expect(after).toHaveLength(TAKEN + UNBEGUN);
  expect(after.slice(0, TAKEN)).toEqual(before);
});

test('a process keeps the mails of a campaign in its journal until their outcomes stand', async () => {
  const { id } = await resolvedCampaign();
  const recorded: string[] = [];
  const { run } = await newProcess(undefined, { ...NO_JOURNAL, recorded: (sendId) => void recorded.push(sendId) });
  await rows(
    em,
    sql.raw(`
    create function record_slowly() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4715); return new; end $$;
    create trigger record_slowly before insert on sends for each row when (new.source_id = '${id}') execute function record_slowly();`),
  );
  const { running } = await em.transactional(async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(4715)`);
    const running = run(id);
    await untilBlocked(tx);
    await eventually(() => server.taken().length === SIZE);
    expect(recorded).toEqual([]);
    return { running };
  });
  expect(await running).toMatchObject({ sent: SIZE });
  await rows(em, sql.raw('drop trigger record_slowly on sends; drop function record_slowly;'));
  expect(recorded).toHaveLength(SIZE);
});

test('who unsubscribed since is not mailed again: its outcome is unknown when the mail may have gone, skipped when it was never begun', async () => {
  const { id, emails } = await leftInTheMiddle();
  const gone = new Set(server.taken().map(({ to }) => to));
  const unbegun = emails.filter((email) => !gone.has(email));
  expect(unbegun).toHaveLength(UNBEGUN);
  const [never] = unbegun as [string];
  const { to: maybe } = server.taken().at(-1) ?? { to: '' };
  for (const email of [never, maybe]) must(await project.api.post('/contacts', { email, status: 'unsubscribed' }), 200);
  const second = await newProcess();
  await settle(second, id);
  const before = server.requests.length;
  await second.run(id);
  expect(server.requests.slice(before).map(({ to }) => to)).not.toContain(maybe);
  expect(server.taken(never)).toEqual([]);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: SIZE - 2, failed: 1, skipped: 1, cancelled: 0 });
  expect(await unknownOf(id)).toBe(1);
});

test('a cancel counts as cancelled only those to whom nothing was ever submitted', async () => {
  const { id } = await leftInTheMiddle();
  const second = await newProcess();
  await settle(second, id);
  expect(await cancelCampaign(em.fork(), second.sending.sending.leftBatches, { projectId: project.id, id })).toBe(UNBEGUN);
  expect(await unknownOf(id)).toBe(TAKEN);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: RECORDED, failed: TAKEN, skipped: 0, cancelled: UNBEGUN });
  expect(await batchOf(id)).toBeUndefined();
});

test('a cancel while the batch of a killed process is still open reads the journal of that process', async () => {
  const { id } = await leftInTheMiddle();
  const second = await newProcess();
  expect(await cancelCampaign(em.fork(), second.sending.sending.leftBatches, { projectId: project.id, id })).toBe(UNBEGUN);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: RECORDED, failed: TAKEN, skipped: 0, cancelled: UNBEGUN });
});

test('a cancel counts what is in the batch of a killed process also when the sweeper has that batch in its hands', async () => {
  const { id } = await leftInTheMiddle();
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
  const { id } = await leftInTheMiddle();
  const elsewhere = await newSending();
  opened.push(elsewhere);
  const settleElsewhere = (ageMs: number) =>
    em.fork().transactional((tx) => elsewhere.sending.leftBatches.settle(tx, id, { ageMs, mayWait: true }));
  expect(await settleElsewhere(OUTCOME_UNKNOWN_AFTER_MS)).toBeUndefined();
  await rows(
    em,
    sql`update campaign_pages set opened_at = now() - make_interval(secs => ${SETTLED_AFTER_MS / 1000}) where campaign_id = ${id}`,
  );
  await settleElsewhere(OUTCOME_UNKNOWN_AFTER_MS);
  expect(await unknownOf(id)).toBe(TAKEN + UNBEGUN);
  expect(await sumCampaignCounts(em, id)).toMatchObject({ sent: RECORDED, failed: TAKEN + UNBEGUN });
});
