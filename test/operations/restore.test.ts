import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { row, rows } from '../../db/rows.ts';
import { startTemporal } from '../../local/temporal.ts';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../support/campaigns.ts';
import { copyDatabase } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { happens, newEventType, newFlow, standsAt, type TestFlow } from '../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { reconcileNow } from '../support/reconcile-run.ts';
import { enableTemplates, enrollmentBecomes, enrollmentEnds, enrollmentOf, newContact, traceOf } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { createNamespace } from '../support/temporal-namespace.ts';
import { newEndpoint } from '../support/webhooks.ts';

/** Of what must have come within a minute or two. */
const SOON = { timeoutMs: 120_000, everyMs: 200 };
const [FIRST, SECOND] = [newEventType('first'), newEventType('second')];

let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await receiver.close();
});

interface Run {
  readonly id: string;
  readonly email: string;
}

/** One instance and what is done with it. */
interface Site {
  readonly everpost: Everpost;
  readonly project: TestProject;
  /** A mail, a wait for FIRST, a mail, a wait for SECOND, a mail. */
  readonly events: TestFlow;
  begin(flow: TestFlow, node: string): Promise<Run>;
  tell(run: Run, type: string): Promise<void>;
  em(): ReturnType<typeof database>;
  subjects(run: Run): Promise<string[]>;
}

const mail = (id: string, template: string) => ({ id, kind: 'send_email', config: { template, subject: template } });
const until = (id: string, type: string) => ({ id, kind: 'wait_until', config: { event: { type }, timeoutMinutes: 600 } });
const delay = (id: string, seconds: number) => ({ id, kind: 'wait_delay', config: { minutes: seconds / 60 } });

async function openSite(everpost: Everpost): Promise<Site> {
  const project = await newProject({ everpost });
  await enableTemplates(project, 'welcome', 'receipt', 'newsletter');
  const events = await newFlow(
    project,
    chain(mail('m1', 'welcome'), until('w1', FIRST), mail('m2', 'receipt'), until('w2', SECOND), mail('m3', 'newsletter')),
  );
  const em = () => database(everpost.databaseUrl);
  return {
    ...{ everpost, project, events, em },
    async begin(flow, node) {
      const email = project.address();
      await newContact(project, email);
      const id = await flow.enroll(email);
      await standsAt(await em(), id, node);
      return { id, email };
    },
    async tell({ email }, type) {
      expect(await happens(project, { type, email })).toMatchObject({ reArmed: 1 });
    },
    subjects: async ({ email }) => (await mailNow(email)).map(({ raw }) => /^subject: (.*)$/im.exec(raw)![1]!.trim()),
  };
}

const statusOf = async (client: Client, { id }: Run) => (await client.workflow.getHandle(enrollmentWorkflowId(id)).describe()).status.name;

test('PostgreSQL restored beside a newer Temporal: no run sends twice what its workflow knows of, and all of them settle', async () => {
  const everpost = await startEverpost();
  try {
    const client = await temporalClient(everpost.namespace);
    const site = await openSite(everpost);
    const { project, events, begin, tell, em, subjects } = site;
    const pauses = await newFlow(project, chain(mail('m1', 'welcome'), delay('d1', 45), mail('m2', 'receipt'), until('w2', SECOND)));
    const recipients = async (tag: string) =>
      (await mailNow(`@to.${project.domain}`)).flatMap(({ to }) => to).filter((email) => email.startsWith(tag));
    const untouched = await begin(events, 'w1');
    const told = await begin(events, 'w1');
    const completed = await begin(events, 'w1');
    const endpoint = await newEndpoint(receiver, { everpost });
    receiver.answer(endpoint.path, { status: 503, headers: { 'retry-after': '3600' } });
    await endpoint.happens();
    const delivery = await endpoint.becomes(({ attempts }) => attempts === 1);
    const retryNow = () => client.workflow.getHandle(`webhook/${delivery.id}`).signal('retryNow');
    const [few, many] = [await newAudience(project, 5), await newAudience(project, 400)];
    const ended = await newCampaign(project, { audience: { mode: 'tag', tag: few.tag }, ratePerSecond: 1 });
    await campaignBecomes(project, ended, ({ sent_count }) => sent_count >= 1);
    await project.api.post(`/campaigns/${ended}/pause`);
    const sending = await newCampaign(project, { audience: { mode: 'tag', tag: many.tag }, ratePerSecond: 1 });
    await campaignBecomes(project, sending, ({ sent_count }) => sent_count >= 2);
    const paused = await begin(pauses, 'd1');
    await reconcileNow(client);

    const backup = everpost.databaseUrl.replace(/[^/]+$/, (name) => `${name}_backup`);
    await everpost.halt();
    await copyDatabase(everpost.databaseUrl, backup);
    await everpost.start();
    await reconcileNow(client);
    await tell(told, FIRST);
    await standsAt(await em(), told.id, 'w2');
    await tell(completed, FIRST);
    await standsAt(await em(), completed.id, 'w2');
    await tell(completed, SECOND);
    await enrollmentEnds(await em(), completed.id);
    const unknown = await begin(events, 'w1');
    await retryNow();
    await endpoint.becomes(({ status }) => status === 'delivered');
    await project.api.post(`/campaigns/${ended}/resume`);
    expect(await campaignEnds(project, ended)).toMatchObject({ status: 'sent' });
    await enrollmentBecomes(await em(), paused.id, ({ current_node_id }) => current_node_id === 'w2', SOON);
    await reconcileNow(client);
    await eventually(async () => (await statusOf(client, completed)) === 'COMPLETED');
    const sentAtLoss = (await campaignOf(project, sending)).sent_count;

    await everpost.halt();
    await copyDatabase(backup, everpost.databaseUrl);
    // What docs/operations.md has an operator do before the processes start.
    const before = await em();
    await rows(before, sql`update campaigns set paused = true where status in ('queued', 'sending')`);
    await everpost.start();

    // Its wait was over before the restore: the mail after it has gone.
    await enrollmentBecomes(await em(), paused.id, ({ current_node_id }) => current_node_id === 'w2', SOON);
    expect(await subjects(paused)).toEqual(['welcome', 'receipt']);
    expect(await traceOf(await em(), paused.id)).toEqual(['trigger enrolled', 'm1 sent', 'd1 waited', 'm2 skipped', 'w2 null']);
    // Its workflow has completed: nobody knows from where it would go on.
    expect(await enrollmentEnds(await em(), completed.id, SOON)).toMatchObject({ status: 'cancelled', end_reason: 'terminated' });
    // The event is told again.
    await tell(told, FIRST);
    await standsAt(await em(), told.id, 'w2');
    await tell(told, SECOND);
    await tell(untouched, FIRST);
    await standsAt(await em(), untouched.id, 'w2');
    await tell(untouched, SECOND);
    for (const run of [told, untouched]) {
      expect(await enrollmentEnds(await em(), run.id)).toMatchObject({ end_reason: 'exit' });
    }
    for (const run of [told, untouched, completed]) expect(await subjects(run)).toEqual(['welcome', 'receipt', 'newsletter']);
    // It has no row any more: it ends when it wakes.
    expect((await project.api.get(`/enrollments/${unknown.id}`)).status).toBe(404);
    await client.workflow.getHandle(enrollmentWorkflowId(unknown.id)).signal('changed');
    await eventually(async () => (await statusOf(client, unknown)) === 'COMPLETED');
    expect(await subjects(unknown)).toEqual(['welcome']);
    // A delivery arrives once more, under the same id.
    await eventually(() => retryNow().then(() => true), SOON);
    await endpoint.becomes(({ status }) => status === 'delivered');
    expect(endpoint.calls()).toHaveLength(3);
    expect(new Set(endpoint.calls().map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    expect(await campaignEnds(project, ended, SOON)).toMatchObject({ status: 'cancelled', reason: 'terminated' });
    expect((await recipients(few.tag)).sort()).toEqual([...few.emails].sort());
    // Nothing of the other went while an operator had not decided.
    expect(await campaignOf(project, sending)).toMatchObject({ status: 'sending', paused: true });
    const once = await recipients(many.tag);
    expect(once.length).toBeGreaterThanOrEqual(sentAtLoss);
    expect(new Set(once).size).toBe(once.length);
    // What went since the back-up is not known, and goes again.
    await project.api.post(`/campaigns/${sending}/resume`);
    await eventually(async () => {
      const arrived = await recipients(many.tag);
      return new Set(arrived).size < arrived.length;
    }, SOON);
    await project.api.post(`/campaigns/${sending}/cancel`);
  } finally {
    await everpost.stop();
  }
}, 400_000);

test('Temporal lost: every open row gets its workflow again, which goes on where the row stands, and nothing is sent twice', async () => {
  const everpost = await startEverpost();
  try {
    const { project, events, begin, tell, em, subjects } = await openSite(everpost);
    const waiting = await begin(events, 'w1');
    const further = await begin(events, 'w1');
    await tell(further, FIRST);
    await standsAt(await em(), further.id, 'w2');
    const endpoint = await newEndpoint(receiver, { everpost, project });
    receiver.answer(endpoint.path, { status: 503, headers: { 'retry-after': '3600' } });
    await endpoint.happens();
    const { id } = await endpoint.becomes(({ attempts }) => attempts === 1);
    const { tag, emails } = await newAudience(project, 10);
    const campaign = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 2 });
    await campaignBecomes(project, campaign, ({ sent_count }) => sent_count > 0);
    await everpost.halt();

    const namespace = `test-${uuidv7()}`;
    await createNamespace(testEnvironment().temporalAddress, namespace);
    await everpost.start({ TEMPORAL_NAMESPACE: namespace });
    const client = await temporalClient(namespace);
    await eventually(async () => (await statusOf(client, waiting)) === 'RUNNING' && (await statusOf(client, further)) === 'RUNNING', SOON);
    await campaignEnds(project, campaign, SOON);
    const arrived = (await mailNow(`@to.${project.domain}`)).map(({ to }) => to[0]!).filter((to) => emails.includes(to));
    expect(arrived.sort()).toEqual([...emails].sort());
    await eventually(() => client.workflow.getHandle(`webhook/${id}`).describe(), SOON);
    await client.workflow.getHandle(`webhook/${id}`).signal('retryNow');
    expect(await endpoint.becomes(({ status }) => status === 'delivered')).toMatchObject({ attempts: 2 });
    await tell(waiting, FIRST);
    await standsAt(await em(), waiting.id, 'w2');
    for (const run of [waiting, further]) {
      await tell(run, SECOND);
      expect(await enrollmentEnds(await em(), run.id)).toMatchObject({ end_reason: 'exit' });
      expect(await subjects(run)).toEqual(['welcome', 'receipt', 'newsletter']);
    }
  } finally {
    await everpost.stop();
  }
}, 300_000);

test('Temporal restored beside a newer PostgreSQL: workflows that are behind go on where their rows stand, and nothing is sent twice', async () => {
  const { temporalBinary: binary, scratchDir } = testEnvironment();
  const [dataDir, backup] = [await mkdtemp(join(scratchDir, 'temporal-')), await mkdtemp(join(scratchDir, 'backup-'))];
  const launch = () => startTemporal({ binary, dataDir, ui: undefined, progress: () => {} });
  let temporal = await launch();
  const everpost = await startEverpost({ temporalServer: temporal.address });
  try {
    const { project, events, begin, tell, em, subjects } = await openSite(everpost);
    const mixed = await newFlow(
      project,
      chain(mail('m1', 'welcome'), until('w1', FIRST), mail('m2', 'receipt'), delay('d2', 40), mail('m3', 'newsletter')),
    );
    const told = await begin(events, 'w1');
    const retried = await begin(mixed, 'w1');
    await reconcileNow(await temporalClient(everpost.namespace, temporal.address));
    await everpost.halt();
    await temporal.process.stop();
    await cp(dataDir, backup, { recursive: true });

    temporal = await launch();
    await everpost.start({ TEMPORAL_ADDRESS: temporal.address });
    await reconcileNow(await temporalClient(everpost.namespace, temporal.address));
    await tell(told, FIRST);
    await standsAt(await em(), told.id, 'w2');
    const young = await begin(events, 'w1');
    await tell(retried, FIRST);
    await standsAt(await em(), retried.id, 'd2');
    await reconcileNow(await temporalClient(everpost.namespace, temporal.address));
    await everpost.halt();
    await temporal.process.stop();
    await rm(dataDir, { recursive: true });
    await cp(backup, dataDir, { recursive: true });

    temporal = await launch();
    await everpost.start({ TEMPORAL_ADDRESS: temporal.address });
    const client = await temporalClient(everpost.namespace, temporal.address);
    // Its workflow waits for an event that has come long ago.
    expect(await enrollmentEnds(await em(), retried.id, SOON)).toMatchObject({ end_reason: 'exit' });
    expect(await subjects(retried)).toEqual(['welcome', 'receipt', 'newsletter']);
    // One that Temporal does not know any more.
    await eventually(async () => (await statusOf(client, young)) === 'RUNNING', SOON);
    await tell(young, FIRST);
    await standsAt(await em(), young.id, 'w2');
    for (const run of [told, young]) {
      await tell(run, SECOND);
      expect(await enrollmentEnds(await em(), run.id)).toMatchObject({ end_reason: 'exit' });
      expect(await subjects(run)).toEqual(['welcome', 'receipt', 'newsletter']);
    }
    expect((await enrollmentOf(await em(), told.id)).status).toBe('completed');
    expect(await row(await em(), sql`select 1 from outbox limit 1`)).toBeUndefined();
  } finally {
    await everpost.stop();
    await temporal.process.stop();
  }
}, 400_000);
