import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chain } from '../domain/sequences/graphs.ts';
import { campaignEnds, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { newFlow } from '../support/flow.ts';
import { startHttpReceiver } from '../support/http-receiver.ts';
import { expectFitToKeep, type Line, linesOf, textOf } from '../support/log-lines.ts';
import { mailTo, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, must, newContact, newSequence } from '../support/sequences.ts';
import { newEndpoint } from '../support/webhooks.ts';

let everpost: Everpost;
let project: TestProject;

beforeAll(async () => {
  everpost = await startEverpost();
  project = await newProject({ everpost });
  await enableTemplates(project, 'receipt', 'newsletter');
});

afterAll(() => everpost?.stop());

/** The lines that the first command of docs/logs.md with these words finds, run where both processes have their log. */
async function found(words: string): Promise<Line[]> {
  const commands = [...(await readFile('docs/logs.md', 'utf8')).matchAll(/^grep .*$/gm)].map(([command]) => command);
  const command = commands.find((each) => each.includes(words));
  if (!command) throw new Error(`docs/logs.md has no such command: ${words}`);
  const cwd = await mkdtemp(join(testEnvironment().scratchDir, 'log-'));
  await writeFile(join(cwd, 'everpost.log'), `${textOf(everpost.api)}\n${textOf(everpost.worker)}\n`);
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

test("a mail of POST /send is followed from the request's id over the send to the provider's, as docs/logs.md says", async () => {
  const to = project.address();
  const headers = { 'X-Request-Id': 'order-1842' };
  const answer = await project.api.post('/send', { template: 'receipt', to, data: { name: 'Ada' } }, { headers });
  expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, 'order-1842']);
  const { sends } = must(await project.api.get('/sends'), 200);
  const line = {
    level: 'info',
    process: 'api',
    event: 'mail.sent',
    requestId: 'order-1842',
    sendId: sends[0].id,
    providerId: answer.body.id,
  };
  await eventually(async () => {
    expect(await found('order-1842')).toEqual([{ ...line, time: expect.any(String) }]);
    return true;
  });
});

test('a call that is repeated, refused or failed has its line, and whom the provider names in its answer stays out, with and without an @', async () => {
  const call = async (requestId: string, to: string, key = requestId): Promise<unknown> => {
    const headers = { 'X-Request-Id': requestId, 'Idempotency-Key': key };
    await project.api.post('/send', { template: 'receipt', to, data: { name: 'Ada' } }, { headers });
    return eventually(() => linesOf(everpost.api).find((line) => line.requestId === requestId));
  };
  const [taken, rejected, deferred, suppressed] = [project.address(), project.address(), project.address(), project.address()];
  await scriptMail(rejected, { rejectRecipient: { code: 550, message: `5.1.1 <${rejected}> is not known here` } });
  await scriptMail(deferred, { rejectRecipient: { code: 451, message: `4.2.1 <${deferred}> is full, says ${deferred.split('@')[0]}` } });
  must(await project.api.post('/suppressions', { email: suppressed, reason: 'manual' }), 201);
  const first = await call('first', taken);
  expect(first).toMatchObject({ event: 'mail.sent', sendId: expect.any(String) });
  const { sendId, providerId } = first as Line;
  expect(await call('again', taken, 'first')).toMatchObject({ event: 'mail.sent', sendId, providerId, replayed: true });
  expect(await call('rejected', rejected)).toMatchObject({ event: 'mail.failed', reason: 'provider_rejected' });
  expect(await call('deferred', deferred)).toMatchObject({
    ...{ event: 'mail.failed', reason: 'provider_unavailable' },
    cause: expect.stringMatching(/^451 [^@]*4\.2\.1 …@… is full, says …-…$/),
  });
  expect(await call('suppressed', suppressed)).toMatchObject({ event: 'mail.refused', by: 'suppressed' });
});

test('a call that enrolls many has one line, with how many and the first 20 of their workflows, and one that enrolls nobody none', async () => {
  const sequence = await newSequence(project, { steps: [{ template: 'receipt', delayMinutes: DAY_MINUTES }] });
  const emails = Array.from({ length: 25 }, () => project.address());
  for (const email of emails) await newContact(project, email);
  for (const requestId of ['bulk-first', 'bulk-again'])
    must(await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails }, { headers: { 'X-Request-Id': requestId } }), 200);
  const started = linesOf(everpost.api).filter(({ requestId }) => String(requestId).startsWith('bulk-'));
  expect(started).toMatchObject([{ event: 'enrollments.started', level: 'info', requestId: 'bulk-first', count: 25 }]);
  expect(started[0]!.workflowIds).toHaveLength(20);
});

test("a sequence's mail has a line with the id of its workflow, a campaign one in some seconds and none for a mail or a page", async () => {
  const sequence = await newSequence(project, { steps: [{ template: 'receipt' }] });
  const email = project.address();
  await newContact(project, email);
  const headers = { 'X-Request-Id': 'order-1843' };
  must(await project.api.post('/events', { type: sequence.trigger, email }, { headers }), 200);
  await mailTo(email);
  const [{ id }] = (await project.api.get(`/sequences/${sequence.key}/enrollments`)).body.enrollments;
  // The request is followed to it.
  const started = { event: 'enrollments.started', requestId: 'order-1843', count: 1, workflowIds: [`enrollment/${id}`] };
  expect(linesOf(everpost.api).filter(({ requestId }) => requestId === 'order-1843')).toMatchObject([started]);
  const ofStep = { event: 'mail.sent', process: 'worker', workflowId: `enrollment/${id}`, sendId: expect.any(String) };
  await eventually(async () => {
    expect(await found('enrollment/')).toMatchObject([ofStep]);
    return true;
  });

  const { tag } = await newAudience(project, 120);
  // Pages of a few mails, which go within some seconds.
  const campaign = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 40 });
  await campaignEnds(project, campaign);
  await eventually(async () => {
    const lines = await found('campaign/');
    const total = (field: string): number => lines.reduce((sum, line) => sum + Number(line[field]), 0);
    expect(total('sent')).toBe(120);
    expect(total('pages')).toBeGreaterThan(lines.length);
    expect(lines.length).toBeLessThan(4);
    const line = { event: 'campaign.progress', workflowId: `campaign/${campaign}`, level: 'info' };
    expect(lines).toEqual(lines.map((each) => ({ ...each, ...line })));
    return true;
  });
});

test('webhook nodes that are given up are one line with run, node, host and last answer', async () => {
  const receiver = await startHttpReceiver();
  try {
    receiver.answer('/crm', ...Array(50).fill(503));
    const node = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}/crm?key=secret` } };
    const flow = await newFlow(project, chain(node));
    const em = await database(everpost.databaseUrl);
    const runs: string[] = [];
    for (let run = 0; run < 3; run++) {
      const email = project.address();
      await newContact(project, email);
      runs.push(await flow.enroll(email));
    }
    for (const id of runs) await enrollmentEnds(em, id);
    const failed = await eventually(() => {
      const lines = linesOf(everpost.worker).filter(({ event }) => event === 'webhooks.node_failed');
      return lines.length > 0 && lines;
    });
    const { host } = new URL(receiver.url);
    expect(failed).toEqual([expect.objectContaining({ level: 'warn', projectId: project.id, node: 'hook', host, answered: 503 })]);
    expect(runs.map((id) => `enrollment/${id}`)).toContain(failed[0]!.workflowId);
  } finally {
    await receiver.close();
  }
});

test('an endpoint that hangs is one line of the log, and none about the workflow tasks that wait for it as they are meant to', async () => {
  const receiver = await startHttpReceiver();
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  try {
    const endpoint = await newEndpoint(receiver, { project, everpost });
    receiver.holdUp(endpoint.path, mayAnswer);
    await endpoint.happens(3);
    const before = linesOf(everpost.worker).length;
    // A task that took so long was lost, and is rightly told of.
    const isOfLostTask = ({ workflowTaskDuration }: Line): boolean => Number(workflowTaskDuration) >= 10_000;
    const since = () =>
      linesOf(everpost.worker)
        .slice(before)
        .filter((line) => line.event === 'webhooks.endpoint_failing' || (line.event === 'temporal.sdk' && !isOfLostTask(line)));
    await eventually(() => since().some(({ event }) => event === 'webhooks.endpoint_failing'), { timeoutMs: 60_000 });
    await endpoint.becomes(({ attempts }) => attempts === 1);
    const { host } = new URL(receiver.url);
    expect(since()).toEqual([
      expect.objectContaining({ level: 'warn', endpointId: endpoint.id, projectId: project.id, host, answered: 'timeout' }),
    ]);
    // Else its attempts go on, and fail once more, while the next tests count lines.
    must(await project.api.delete(`/webhooks/${endpoint.id}`), 200);
  } finally {
    answer();
    await receiver.close();
  }
});

test('no line at info or above has the address of a recipient, and each has its event', () => {
  for (const program of [everpost.api, everpost.worker]) expectFitToKeep(program, `to.${project.domain}`);
});
