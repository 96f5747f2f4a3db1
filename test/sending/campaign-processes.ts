import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { sumCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { row, rows } from '../../db/rows.ts';
import { OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import type { SenderResult } from '../../sending/campaign-sender.ts';
import { type CampaignSenders, createCampaignSenders } from '../../sending/campaign-senders.ts';
import { createInFlight } from '../../sending/in-flight.ts';
import { journalsIn } from '../../sending/journal/read-journals.ts';
import { openJournal, type SubmissionJournal } from '../../sending/journal/submission-journal.ts';
import { NO_PACE } from '../../sending/send-pace.ts';
import { resolveInTime } from '../../usecases/campaigns/resolve-in-time.ts';
import { newAudience, newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import type { TestProject } from '../support/project.ts';
import { type ResendServer, startResendServer } from '../support/resend-server.ts';
import { newSending, shippedTemplates, type TestSending } from '../support/sending.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';

/** Those whose rows stand, those who were taken and whose answers nobody heard, those that were not begun: of a killed process. */
export const [RECORDED, TAKEN, UNBEGUN] = [10, 14, 6] as const;
export const SIZE = RECORDED + TAKEN + UNBEGUN;
const AGE_OF_UNKNOWN_MS = (OUTCOME_UNKNOWN_AFTER_MS + SETTLED_AFTER_MS) / 2;

/** A process that sends campaigns. */
export interface CampaignProcess {
  readonly sending: TestSending;
  readonly run: (id: string) => Promise<SenderResult>;
}

/** A campaign and its recipients. */
export interface AudienceOfCampaign {
  readonly id: string;
  readonly emails: readonly string[];
}

/** Processes that send campaigns through a provider which takes each key once, new for each test; their journals are in one folder. Call it once for the file. */
export function campaignProcesses() {
  let server: ResendServer;
  let folder: string;
  let stopping: AbortController;
  const opened: TestSending[] = [];
  /** Lets the calls of killed processes end. */
  const ends: (() => void)[] = [];
  /** Runs of killed processes: their database is closed when they have ended. */
  const dyingRuns: Promise<unknown>[] = [];

  beforeAll(async () => {
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

  /** A process that ends with the test. */
  async function opening(options?: Parameters<typeof newSending>[0]): Promise<TestSending> {
    const made = await newSending(options);
    opened.push(made);
    return made;
  }

  async function newProcess(
    around: (real: MailProvider) => MailProvider['send'] = (real) => real.send,
    given?: SubmissionJournal,
  ): Promise<CampaignProcess> {
    const real = createMailProvider(new URL(server.providerUrl), { maxConnections: 4, timeoutSeconds: 10 });
    const journal = given ?? (await openJournal({ folder, id: uuidv7(), log: createLogger('silent', {}) }));
    const sending = await opening({ provider: { ...real, send: around(real) }, journal, journals: journalsIn(folder) });
    const senders = await sendersOf(sending);
    const run = (id: string) => senders.run(id, { milliseconds: 60_000, signal: stopping.signal, progress: () => undefined });
    return { sending, run };
  }

  /** A process that sends the campaign until it is killed; `sending`: what becomes of each mail, of which `theEnd` is never answered. */
  async function runUntilKilled(
    id: string,
    sending: (real: MailProvider, theEnd: Promise<ProviderAnswer>) => MailProvider['send'],
  ): Promise<void> {
    const theEnd = Promise.withResolvers<ProviderAnswer>();
    ends.push(() => theEnd.resolve({ outcome: 'unknown', message: 'the test is over' }));
    const dying = await newProcess((real) => sending(real, theEnd.promise));
    dyingRuns.push(dying.run(id));
  }

  return { server: () => server, opening, newProcess, runUntilKilled };
}

async function sendersOf({ orm, sending }: TestSending): Promise<CampaignSenders> {
  return createCampaignSenders({
    em: orm.em.fork(),
    sending,
    registry: await shippedTemplates(),
    inFlight: createInFlight({ connections: SIZE, pace: NO_PACE }),
    places: 2,
    newId: uuidv7,
    pauseBeyondLimits: async () => undefined,
  });
}

function untilTheMiddle(real: MailProvider, theEnd: Promise<ProviderAnswer>): MailProvider['send'] {
  let begun = 0;
  return async (...given) => {
    const place = ++begun;
    if (place > RECORDED + TAKEN) return theEnd;
    const answer = await real.send(...given);
    return place > RECORDED ? theEnd : answer;
  };
}

export type CampaignProcesses = ReturnType<typeof campaignProcesses>;

/** A campaign whose one batch was left by a process that was killed in the middle of it. */
export async function leftInTheMiddle(
  { server, runUntilKilled }: CampaignProcesses,
  em: EntityManager,
  project: TestProject,
): Promise<AudienceOfCampaign> {
  const { id, emails } = await resolvedCampaign(em, project);
  await runUntilKilled(id, untilTheMiddle);
  await eventually(async () => {
    const { sent } = await sumCampaignCounts(em, id);
    return sent === RECORDED && server().taken().length === RECORDED + TAKEN;
  });
  await openedLongAgo(em, id);
  return { id, emails };
}

/** The batch of a campaign was opened as long ago as makes outcomes unknown. */
export async function openedLongAgo(em: EntityManager, id: string): Promise<void> {
  const age = sql`make_interval(secs => ${AGE_OF_UNKNOWN_MS / 1000})`;
  await rows(em, sql`update campaign_pages set opened_at = now() - ${age} where campaign_id = ${id}`);
}

/** A campaign that may be sent; to the workers of the stack its time has not come. */
export async function resolvedCampaign(em: EntityManager, project: TestProject): Promise<AudienceOfCampaign> {
  const { tag, emails } = await newAudience(project, SIZE);
  const audience = { mode: 'tag', tag } as const;
  const id = await newCampaign(project, { audience, scheduleAt: '2999-01-01T00:00:00Z' });
  const client = await temporalClient();
  await eventually(async () => readable(await workflowHistory(client, `campaign/${id}`)).includes('scheduled for'));
  await resolveInTime(
    em,
    { campaignId: id, projectId: project.id, audience, variants: null, ratePerSecond: null, topic: null },
    { type: 'marketing', local: null, choice: 'none', settledAt: new Date(), now: new Date() },
  );
  await rows(em, sql`update campaigns set status = 'sending', resolved_at = now(), started_at = now() where id = ${id}`);
  return { id, emails };
}

/** What the batch of a campaign is; undefined when it has none. */
export const batchOf = (em: EntityManager, id: string) =>
  row(
    em,
    sql<{ state: string; recipients: number; maybe_submitted: number; keys: string[] }>`
      select state, cardinality(contact_ids) as recipients, send_ids as keys,
             (select count(d.at) from unnest(doubted_at) as d(at)) as maybe_submitted from campaign_pages where campaign_id = ${id}`,
  );

/** Returns of how many mails the outcome stays unknown. The stack's sweeper, which knows no journal of this file, may be looking at the batch just then. */
export const settle = async ({ sending }: CampaignProcess, id: string): Promise<number> => {
  const options = { ageMs: OUTCOME_UNKNOWN_AFTER_MS, mayWait: true };
  const { unknown } = await eventually(async () => {
    const found = await sending.orm.em.fork().transactional((tx) => sending.sending.leftBatches.settle(tx, id, options));
    return found !== undefined && { unknown: found };
  });
  return unknown;
};

/** How many mails of a campaign have an unknown outcome. */
export const unknownOf = async (em: EntityManager, id: string): Promise<number> =>
  (await rows(em, sql`select 1 from sends where source_id = ${id} and status = 'failed' and error like 'outcome_unknown%'`)).length;
