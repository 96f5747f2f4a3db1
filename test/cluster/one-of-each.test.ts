import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { campaignEnds, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { mailCount, mailNow, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newSequence } from '../support/sequences.ts';
import { expectArrivedAsCounted, newEndpoint } from '../support/webhooks.ts';
import { type Cluster, type Member, startCluster } from './cluster.ts';
import { insisting, mixedLoad, newContacts } from './mixed-load.ts';

let cluster: Cluster;
let receiver: HttpReceiver;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  cluster = await startCluster();
}, 180_000);

afterAll(async () => {
  await cluster?.stop();
  await receiver?.close();
}, 120_000);

const PATIENCE = { timeoutMs: 150_000, everyMs: 250 };
/** Lasts for two minutes, about as long as processes are killed; calls of the mixed load go on for all of it. */
const PACED = { size: 5_000, perSecond: 40 };
/** As fast as it goes. */
const QUICK = 2_000;
const BURST = 1_500;
/** Between two kills: everybody has worked since the one before. */
const BETWEEN = { mails: 100, enrollments: 5 };
const MAILS = ['welcome', 'receipt'];
/** Mail server and receiver take their time, so that everybody who is killed has something in flight. */
const ANSWER_MS = 100;

interface SendFound {
  readonly to_email: string;
  readonly status: 'sent' | 'failed' | null;
  readonly error: string | null;
  readonly source_type: string;
}

async function sendsOf(project: TestProject): Promise<SendFound[]> {
  const em = await database(cluster.databaseUrl);
  return rows(em, sql<SendFound>`select to_email, status, error, source_type from sends where project_id = ${project.id}`);
}

async function countOf(statement: ReturnType<typeof sql<{ count: number }>>): Promise<number> {
  const [found] = await rows(await database(cluster.databaseUrl), statement);
  return found!.count;
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

test('an API process, a worker, the Temporal server and PostgreSQL are killed under a mixed load, and what was accepted happens once', async () => {
  const everpost = { url: cluster.apiUrls[1], databaseUrl: cluster.databaseUrl };
  const project = await newProject({ everpost });
  await enableTemplates(project, 'newsletter', ...MAILS);
  const { trigger, id: sequenceId } = await newSequence(project, {
    steps: MAILS.map((template, index) => ({ template, type: 'transactional', delayMinutes: index * 0.2 })),
  });
  const endpoint = await newEndpoint(receiver, { everpost });
  const [slow, fast] = [await newAudience(project, PACED.size), await newAudience(project, QUICK)];
  await scriptMail(`@to.${project.domain}`, { delayMs: ANSWER_MS });
  receiver.holdUp(endpoint.path, () => sleep(ANSWER_MS));
  const insist = insisting(cluster.apiUrls, project.key);
  const listener = { project: endpoint.project, insist: insisting(cluster.apiUrls, endpoint.project.key) };

  const paced = await newCampaign(project, { audience: { mode: 'tag', tag: slow.tag }, ratePerSecond: PACED.perSecond });
  const everyone = `@to.${project.domain}`;
  const completedSince = (instant: Date) =>
    countOf(
      sql`select count(*)::integer as count from enrollments
          where sequence_id = ${sequenceId} and status = 'completed' and started_at > ${instant}`,
    );
  const arrivedOf = async (emails: readonly string[]) => {
    const wanted = new Set(emails);
    return (await mailNow(everyone)).filter(({ to }) => wanted.has(to[0]!)).length;
  };
  const killed: Member[] = [];
  let isOver = false;
  const killOneOfEach = async () => {
    // Whoever began after this instant has needed everybody but one API process.
    const hasGoneOn = async (since: Date): Promise<void> => {
      const mails = await mailCount(everyone);
      await eventually(
        async () => (await mailCount(everyone)) >= mails + BETWEEN.mails && (await completedSince(since)) >= BETWEEN.enrollments,
        PATIENCE,
      );
    };
    const kill = async (member: Member): Promise<void> => {
      await member.kill();
      killed.push(member);
      await hasGoneOn(new Date());
    };
    await hasGoneOn(new Date());
    const quick = must(
      await insist('POST', '/campaigns', { template: 'newsletter', audience: { mode: 'tag', tag: fast.tag } }, 'quick'),
      201,
    ).campaignId as string;
    const burst = await newContacts(listener, 1_000).then(async (first) => [...first, ...(await newContacts(listener, BURST - 1_000))]);
    await eventually(async () => (await arrivedOf(fast.emails)) >= 100, { ...PATIENCE, everyMs: 10 });
    expect(await arrivedOf(fast.emails)).toBeLessThan(QUICK);
    await kill(cluster.workers[0]);
    await kill(cluster.apis[0]);
    await kill(cluster.temporal);
    await kill(cluster.postgres);
    return { quick, burst };
  };
  const killing = killOneOfEach().finally(() => {
    isOver = true;
  });
  const [{ quick, burst }, done] = await Promise.all([killing, mixedLoad({ project, insist, trigger, listener }, () => isOver)]);

  // Everything comes to its end.
  for (const id of [paced, quick])
    expect(await campaignEnds({ api: insistingApi(project) }, id, PATIENCE)).toMatchObject({ status: 'sent', reason: null });
  const active = () =>
    countOf(sql`select count(*)::integer as count from enrollments where sequence_id = ${sequenceId} and status = 'active'`);
  await eventually(async () => (await active()) === 0, PATIENCE);
  await eventually(async () => (await sendsOf(project)).every(({ status }) => status !== null), PATIENCE);
  const deliveries = await endpoint.all(done.contacts.length + burst.length, 'delivered', PATIENCE);

  // Campaigns: the totals, the send log and the arrivals agree.
  const em = await database(cluster.databaseUrl);
  const checked = [await checkCampaign(em, project, paced, slow.emails), await checkCampaign(em, project, quick, fast.emails)];
  expect(checked.map(({ sent, outcomeUnknown }) => sent + outcomeUnknown)).toEqual([PACED.size, QUICK]);

  // Mails: one for each call that was answered 200, none for those that were refused, at most one for those of unknown outcome.
  const arrivals = countBy(await mailNow(everyone), ({ to }) => to[0]!);
  const arrivedAt = (to: string) => arrivals.get(to) ?? 0;
  expect(done.sends.filter(({ to, outcomeUnknown }) => (outcomeUnknown ? arrivedAt(to) > 1 : arrivedAt(to) !== 1))).toEqual([]);
  expect(done.refused.filter((to) => arrivedAt(to) > 0)).toEqual([]);

  // Enrollments: one for each event, completed, with its mails.
  const enrollments = await rows(
    em,
    sql<{ email: string; status: string }>`select c.email, e.status from enrollments e join contacts c on c.id = e.contact_id
      where e.sequence_id = ${sequenceId}`,
  );
  const cutOff = new Set(done.cutOff);
  const emails = enrollments.map(({ email }) => email);
  expect(emails.filter((email) => !cutOff.has(email)).toSorted()).toEqual(done.enrolled.toSorted());
  expect(new Set(emails).size).toBe(emails.length);
  expect(enrollments.filter(({ status }) => status !== 'completed')).toEqual([]);
  const sends = await sendsOf(project);
  const steps = sends.filter(({ source_type }) => source_type === 'sequence');
  const wrong = emails.filter((email) => {
    const mine = steps.filter(({ to_email }) => to_email === email);
    const sent = mine.filter(({ status }) => status === 'sent').length;
    const outcomeUnknown = mine.filter(({ error }) => error?.startsWith('outcome_unknown')).length;
    return sent + outcomeUnknown !== MAILS.length || arrivedAt(email) < sent || arrivedAt(email) > sent + outcomeUnknown;
  });
  expect(wrong).toEqual([]);
  const asked = new Set([...slow.emails, ...fast.emails, ...emails, ...done.sends.map(({ to }) => to)]);
  expect([...arrivals.keys()].filter((to) => !asked.has(to))).toEqual([]);

  // Webhooks: each contact once, each delivery at least once under its id.
  expectArrivedAsCounted(deliveries, endpoint.calls());
  const told = new Set(endpoint.calls().map(({ body }) => JSON.parse(body).data.email as string));
  expect([...done.contacts, ...burst].filter((email) => !told.has(email))).toEqual([]);

  // One of each, and PostgreSQL had a connection for everybody. Who cannot work without another may end and be started again as well.
  expect(killed.map(({ name }) => name)).toEqual(['worker 1', 'api 1', 'Temporal', 'PostgreSQL']);
  expect(killed.filter(({ restarts }) => restarts === 0)).toEqual([]);
  expect(cluster.apis[1].restarts).toBe(0);
  const log = await readFile(join(testEnvironment().scratchDir, 'postgres-server', 'postgres.log'), 'utf8');
  expect(log.split('\n').filter((line) => /too many clients|connection slots/.test(line))).toEqual([]);

  const outcomeUnknown = sends.filter(({ error }) => error?.startsWith('outcome_unknown')).length;
  process.stderr.write(
    `${sends.length} mails, ${done.enrolled.length} enrollments and ${deliveries.length} deliveries; of unknown outcome ${outcomeUnknown}, called twice ${endpoint.calls().length - deliveries.length}\n`,
  );

  function insistingApi({ key }: TestProject) {
    const call = insisting(cluster.apiUrls, key);
    return { ...project.api, get: (path: string) => call('GET', path, undefined) };
  }
}, 360_000);
