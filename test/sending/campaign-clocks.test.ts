import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type EntityManager, type MikroORM, openDatabase } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { IN_FLIGHT_MS } from '../../domain/sends/submission-times.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import type { SenderResult } from '../../sending/campaign-sender.ts';
import { createCampaignSenders } from '../../sending/campaign-senders.ts';
import { createInFlight } from '../../sending/in-flight.ts';
import { NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { createLeftBatches } from '../../sending/left-batches.ts';
import { NO_PACE } from '../../sending/send-pace.ts';
import { cancelCampaign } from '../../usecases/campaigns/cancel-campaign.ts';
import { resolveInTime } from '../../usecases/campaigns/resolve-in-time.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { campaignOf, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { newSending, shippedTemplates, type TestSending } from '../support/sending.ts';
import { enableTemplates } from '../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';

const leftBatches = createLeftBatches({ journals: NO_JOURNALS, deduplicates: false, reportBounce }, createMetrics());
let em: EntityManager;
let project: TestProject;
const opened: (TestSending | MikroORM)[] = [];

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

interface Given {
  readonly id: string;
  readonly em: EntityManager;
  /** Lets the provider answer. */
  readonly answer: (answer: ProviderAnswer) => void;
  readonly sender: Promise<SenderResult>;
}

/** Three recipients, one a batch; the first is being submitted by a process whose clock is wrong by so much. To the workers of the stack its time has not come. */
async function oneInFlight(clockIsOffMs: number): Promise<Given> {
  const { tag } = await newAudience(project, 3);
  const audience = { mode: 'tag', tag } as const;
  const id = await newCampaign(project, { audience, ratePerSecond: 1, scheduleAt: '2999-01-01T00:00:00Z' });
  const client = await temporalClient();
  await eventually(async () => readable(await workflowHistory(client, `campaign/${id}`)).includes('scheduled for'));
  await resolveInTime(
    em,
    { campaignId: id, projectId: project.id, audience, variants: null, ratePerSecond: 1, topic: null },
    { type: 'marketing', local: null, choice: 'none', settledAt: new Date(), now: new Date() },
  );
  await rows(em, sql`update campaigns set status = 'sending', resolved_at = now(), started_at = now() where id = ${id}`);
  const { promise, resolve } = Promise.withResolvers<ProviderAnswer>();
  const sending = await newSending({ answer: () => promise, now: () => new Date(Date.now() + clockIsOffMs) });
  opened.push(sending);
  const senders = createCampaignSenders({
    em: sending.orm.em.fork(),
    sending: sending.sending,
    registry: await shippedTemplates(),
    inFlight: createInFlight({ connections: 1, pace: NO_PACE }),
    places: 2,
    newId: uuidv7,
    pauseBeyondLimits: async () => undefined,
  });
  // Over before its rate lets the next batch go.
  const sender = senders.run(id, { milliseconds: 500, signal: new AbortController().signal, progress: () => undefined });
  await eventually(() => sending.submitted.length === 1, { everyMs: 10 });
  return { id, em: sending.orm.em.fork(), answer: resolve, sender };
}

interface Cancelling {
  readonly answer: Promise<number | undefined>;
  /** Resolves with true when it has answered, with false as soon as it looks for the second time whether mails are in flight. */
  hasAnswered(): Promise<boolean>;
}

/** By a process of its own, as far as PostgreSQL sees. */
async function cancelling(id: string): Promise<Cancelling> {
  const applicationName = `cancel-${id}`.slice(0, 43);
  const orm = await openDatabase({ url: testEnvironment().databaseUrl, poolSize: 1, applicationName });
  opened.push(orm);
  let isAnswered = false;
  const answer = cancelCampaign(orm.em.fork(), leftBatches, { projectId: project.id, id });
  void answer.finally(() => {
    isAnswered = true;
  });
  const looks = sql<{ at: Date }>`
    select query_start as at from pg_stat_activity where application_name = ${applicationName} and query like '%state = ''open'' and opened_at >%'`;
  const seen = new Set<number>();
  return {
    answer,
    hasAnswered: () =>
      eventually(
        async () => {
          const look = await row(em, looks);
          if (look) seen.add(look.at.getTime());
          return (isAnswered || seen.size > 1) && { isAnswered };
        },
        { everyMs: 5 },
      ).then((state) => state.isAnswered),
  };
}

const MINUTES = 60_000;
const CLOCKS = [
  ['five minutes slow', -5 * MINUTES],
  ['right', 0],
  ['five minutes fast', 5 * MINUTES],
] as const;

test.each(CLOCKS)('a cancel waits for the mail in flight of a process whose clock is %s', async (_, clockIsOffMs) => {
  const given = await oneInFlight(clockIsOffMs);
  const cancel = await cancelling(given.id);
  expect(await cancel.hasAnswered()).toBe(false);
  given.answer({ outcome: 'accepted', providerId: 'accepted' });
  expect(await cancel.answer).toBe(2);
  expect(await given.sender).toMatchObject({ sent: 1 });
  expect(await campaignOf(project, given.id)).toMatchObject({ status: 'cancelled', sent_count: 1, failed_count: 0, cancelled_count: 2 });
});

test.each(CLOCKS)('a cancel ends when a process whose clock is %s has died over a mail in flight', async (_, clockIsOffMs) => {
  const given = await oneInFlight(clockIsOffMs);
  const cancel = await cancelling(given.id);
  expect(await cancel.hasAnswered()).toBe(false);
  const age = sql`make_interval(secs => ${IN_FLIGHT_MS / 1000})`;
  await rows(em, sql`update campaign_pages set opened_at = opened_at - ${age} where campaign_id = ${given.id}`);
  expect(await cancel.answer).toBe(2);
  // Should it live after all, the truth has the word.
  given.answer({ outcome: 'accepted', providerId: 'accepted' });
  await given.sender;
  expect(await campaignOf(project, given.id)).toMatchObject({ status: 'cancelled', sent_count: 1, failed_count: 0, cancelled_count: 2 });
});

test.each(CLOCKS)(
  'what the provider wants later from a process whose clock is %s is tried again after the pause',
  async (_, clockIsOffMs) => {
    const given = await oneInFlight(clockIsOffMs);
    given.answer({ outcome: 'later', message: 'busy', retryAfterSeconds: 30 });
    expect(await given.sender).toMatchObject({ away: { message: 'busy' } });
    const batch = sql`
    select 1 from campaign_pages where campaign_id = ${given.id} and state = 'pending' and first_later_at between now() - interval '1 min' and now()
      and available_at between now() and now() + interval '30 s'`;
    expect(await rows(em, batch)).toHaveLength(1);
    await cancelCampaign(given.em, leftBatches, { projectId: project.id, id: given.id });
  },
);
