import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { createLogger } from '../../platform/logger.ts';
import { serveMetrics } from '../../platform/metrics/metrics-page.ts';
import { TASK_QUEUES } from '../../workflows/contracts.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { campaignBecomes, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost, TEST_SETTINGS } from '../support/everpost.ts';
import { spawnProgram, waitUntilReady } from '../support/everpost-process.ts';
import { newFlow } from '../support/flow.ts';
import { scriptMail } from '../support/mail.ts';
import { DATABASE_READS, type ScrapedPage, scrape } from '../support/metrics-page.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentBecomes, enrollmentEnds, must, newContact, newSequence, WAITS } from '../support/sequences.ts';
import { sendBySmtp, startSmtpProcess } from '../support/smtp-process.ts';
import { temporalClient } from '../support/temporal.ts';
import { createEndpoint, deliveriesSettle } from '../support/webhook-endpoints.ts';

const ROOT = join(import.meta.dirname, '../..');
const CAMPAIGN_SIZE = 5;

let everpost: Everpost;
let project: TestProject;
/** After everything below has happened. */
let ofApi: ScrapedPage;
let ofWorker: ScrapedPage;
let ofSmtp: ScrapedPage;
/** Of a worker that was started then. */
let ofLaterWorker: ScrapedPage;

// The API's answers and the worker's mails, one of each kind that is counted.
beforeAll(async () => {
  everpost = await startEverpost({ env: { METRICS_PORT: '0' } });
  project = await newProject({ everpost });
  await enableTemplates(project, 'receipt', 'welcome', 'newsletter');
  const endpoint = await createEndpoint(project, `${testEnvironment().receiverUrl}/metrics`, { events: ['contact.subscribed'] });

  const { tag } = await newAudience(project, CAMPAIGN_SIZE);
  const { api } = project;
  const send = (to: string) => api.post('/send', { template: 'receipt', to });
  must(await send(project.address('taken')), 200);
  const [rejected, suppressed] = [project.address('rejected'), project.address('suppressed')];
  await scriptMail(rejected, { rejectRecipient: { code: 550 } });
  await send(rejected);
  must(await api.post('/suppressions', { email: suppressed }), 201);
  await send(suppressed);

  const email = project.address('read');
  const id = await newContact(project, email);
  for (let n = 0; n < 3; n++) must(await api.get(`/contacts/${id}`), 200);
  for (const path of [`/nothing/${project.address()}`, `/${project.slug}`]) must(await api.get(path), 404);

  const { key } = await newSequence(project, { status: 'active', steps: WAITS });
  const { enrollmentId } = must(await api.post(`/sequences/${key}/enroll`, { contactId: id }), 200);
  const hook = { id: 'hook', kind: 'webhook', config: { url: `${testEnvironment().receiverUrl}/metrics-node` } };
  const em = await database(everpost.databaseUrl);
  await enrollmentEnds(em, await (await newFlow(project, chain(hook))).enroll(email));
  await campaignBecomes(project, await newCampaign(project, { audience: { mode: 'tag', tag } }), ({ status }) => status === 'sent');
  await deliveriesSettle(project, endpoint.id, CAMPAIGN_SIZE + 1);

  // Its task fails: the worker knows no such workflow.
  const client = await temporalClient(everpost.namespace);
  await client.workflow.start('nothere', { workflowId: 'nothere', taskQueue: TASK_QUEUES.workflows });

  // It is counted when a worker starts, and then only once a minute.
  await enrollmentBecomes(em, enrollmentId, ({ waiting_for }) => waiting_for === 'delay');
  const isRead = (page: ScrapedPage, part: string): boolean => page.sum('everpost_reconcile_pass_age_seconds', { part }) !== undefined;
  const isWhole = (page: ScrapedPage): boolean =>
    isRead(page, 'worker') && page.sum('everpost_database_read_up') === DATABASE_READS && page.sum('everpost_temporal_metrics_up') === 1;
  ofLaterWorker = await scrapeWhen(everpost.addWorker().process, isWhole);
  ofWorker = await scrapeWhen(
    everpost.worker!,
    (page) =>
      isWhole(page) &&
      (page.sum('temporal_workflow_completed_total') ?? 0) > 0 &&
      page.sum('temporal_workflow_task_execution_failed_total') !== undefined,
  );
  ofApi = await scrapeWhen(everpost.api, (page) => isRead(page, 'api'));
  const smtp = await startSmtpProcess({ DATABASE_URL: everpost.databaseUrl, METRICS_PORT: '0' });
  for (const from of [`hello@${project.domain}`, 'hello@other.example'])
    await sendBySmtp(smtp.port, project.slug, project.key, { from, to: project.address('by-smtp'), subject: 'Hello', text: 'Words' });
  ofSmtp = await scrape(smtp.program);
}, 600_000);

afterAll(() => everpost?.stop());

/** What the database was too slow to tell is asked again after a minute at most. */
function scrapeWhen(program: GuardedProcess, wanted: (page: ScrapedPage) => boolean): Promise<ScrapedPage> {
  return eventually(
    async () => {
      const page = await scrape(program);
      return wanted(page) && page;
    },
    { timeoutMs: 90_000, everyMs: 200 },
  );
}

const read = (name: string): Promise<string> => readFile(join(ROOT, name), 'utf8');

describe('the page', () => {
  test('counts requests by the route that was declared, and what nobody declared under one name', () => {
    expect(ofApi.sum('everpost_http_requests_total', { method: 'GET', route: '/api/v1/contacts/:id', status: '200' })).toBe(3);
    expect(ofApi.sum('everpost_http_requests_total', { route: 'none' })).toBe(2);
    expect(ofApi.sum('everpost_http_request_seconds_count', { route: '/api/v1/contacts/:id' })).toBe(3);
  });

  test('counts each mail once by its source, provider and outcome, wherever it was sent', () => {
    const sends = (page: ScrapedPage) =>
      page.samples
        .filter(({ name }) => name === 'everpost_sends_total')
        .map(({ labels, value }) => [labels.source, labels.provider, labels.outcome, value])
        .sort();
    expect(sends(ofApi)).toEqual([
      ['api', 'smtp', 'provider_rejected', 1],
      ['api', 'smtp', 'sent', 1],
    ]);
    expect(sends(ofWorker)).toEqual([['campaign', 'smtp', 'sent', CAMPAIGN_SIZE]]);
    expect(ofApi.sum('everpost_sends_refused_total', { source: 'api', by: 'suppressed' })).toBe(1);
  });

  test('counts each message by SMTP by its answer, and its mail as those of calls', () => {
    expect(ofSmtp.sum('everpost_smtp_messages_total', { code: '250' })).toBe(1);
    expect(ofSmtp.sum('everpost_smtp_messages_total', { code: '550' })).toBe(1);
    expect(ofSmtp.sum('everpost_smtp_connections')).toBeGreaterThanOrEqual(0);
    expect(ofSmtp.sum('everpost_sends_total', { source: 'api', outcome: 'sent' })).toBe(1);
  });

  test('measures each submission and each call of an endpoint, and counts those of webhook nodes', () => {
    expect(ofApi.sum('everpost_hand_over_seconds_count', { outcome: 'accepted' })).toBe(1);
    expect(ofApi.sum('everpost_hand_over_seconds_count', { outcome: 'rejected' })).toBe(1);
    expect(ofWorker.sum('everpost_hand_over_seconds_count', { provider: 'smtp' })).toBe(CAMPAIGN_SIZE);
    expect(ofWorker.sum('everpost_hand_over_seconds_sum')).toBeGreaterThan(0);
    expect(ofWorker.sum('everpost_webhook_attempt_seconds_count', { outcome: '2xx' })).toBe(CAMPAIGN_SIZE + 1);
    expect(ofWorker.sum('everpost_webhook_node_calls_total', { outcome: '2xx' })).toBe(1);
  });

  test('tells the use of connections and threads, and the lag of the event loop', () => {
    for (const [page, part] of [
      [ofApi, 'api'],
      [ofWorker, 'worker'],
    ] as const) {
      expect(page.sum('everpost_db_connections_open', { part })).toBeGreaterThan(0);
      expect(page.sum('everpost_db_connections_max', { part, pool: 'main' })).toBeGreaterThan(
        page.sum('everpost_db_connections_busy', { part })!,
      );
      expect(page.sum('everpost_render_threads', { pool: 'mails' })).toBe(2);
      expect(page.sum('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    }
  });

  test('of the worker tells what waits and who is enrolled, and has the metrics of the Temporal SDK', () => {
    expect(ofWorker.sum('everpost_database_read_up')).toBe(DATABASE_READS);
    expect(ofWorker.sum('everpost_outbox_oldest_seconds')).toBeGreaterThanOrEqual(0);
    expect(ofLaterWorker.sum('everpost_enrollments', { state: 'waiting', reason: 'delay' })).toBe(1);
    expect(ofLaterWorker.sum('everpost_enrollments')).toBe(1);
    expect(ofLaterWorker.sum('everpost_enrollments_overdue')).toBe(0);
    expect(ofWorker.sum('everpost_temporal_metrics_up')).toBe(1);
    expect(ofWorker.sum('temporal_workflow_task_execution_failed_total', { workflow_type: 'nothere' })).toBeGreaterThan(0);
    expect(ofWorker.sum('temporal_worker_task_slots_available', { task_queue: 'email' })).toBeGreaterThan(0);
  });

  test('tells of API and worker when reconcile was finished last', () => {
    expect(ofApi.sum('everpost_reconcile_pass_age_seconds', { part: 'api' })).toBeGreaterThanOrEqual(0);
    expect(ofWorker.sum('everpost_reconcile_pass_age_seconds', { part: 'worker' })).toBeGreaterThanOrEqual(0);
  });

  test('has each name once, whoever it comes from', () => {
    for (const { families } of [ofApi, ofWorker]) {
      const names = families.map(([name]) => name);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });

  test('has no address and no project on it', () => {
    for (const { text } of [ofApi, ofWorker, ofSmtp]) {
      expect(text).not.toContain('@');
      expect(text).not.toContain(project.slug);
      expect(text).not.toContain(project.id);
    }
  });
});

describe('what stands beside the program', () => {
  /** Names of families, and those that samples have. */
  const exposed = (): Set<string> =>
    new Set(
      [ofApi, ofWorker, ofLaterWorker].flatMap(({ families, samples }) => [
        ...families.map(([name]) => name),
        ...samples.map(({ name }) => name),
      ]),
    );
  const NAME = /\b(?:everpost|temporal|nodejs|process)_[a-z0-9_]+\b/g;

  test.each(['ops/alerts.yml', 'ops/grafana-dashboard.json'])('%s asks for nothing that is not exposed', async (file) => {
    const text = await read(file);
    const expressions = file.endsWith('.json')
      ? [...text.matchAll(/"expr": "(.*)"/g)].map(([, expression]) => expression!)
      : [...text.matchAll(/expr: (.*(?:\n {10,}.*)*)/g)].map(([, expression]) => expression!);
    expect(expressions.length).toBeGreaterThanOrEqual(16);
    const names = new Set(expressions.flatMap((expression) => expression.match(NAME) ?? []));
    expect(names.size).toBeGreaterThanOrEqual(13);
    expect([...names].filter((name) => !exposed().has(name))).toEqual([]);
  });

  test('the table of docs/metrics.md has each metric with its type and labels, and no other', async () => {
    const table = [...(await read('docs/metrics.md')).matchAll(/^\| `(everpost_\w+)` +\| (\w+) +\| ([\w, ]*?) *\|/gm)];
    const documented = table.map(([, name, type, labels]) => `${name} ${type} ${labels!.split(', ').filter(Boolean).sort()}`);
    const found = new Map<string, string>();
    for (const { families, samples } of [ofApi, ofWorker, ofLaterWorker, ofSmtp]) {
      for (const [family, type] of families.filter(([name]) => name.startsWith('everpost_'))) {
        const of = samples.filter(({ name }) => name === family || (type === 'histogram' && name === `${family}_count`));
        const labels = [...new Set(of.flatMap((sample) => Object.keys(sample.labels)))].sort();
        if (of.length > 0) found.set(family, `${family} ${type} ${labels}`);
      }
    }
    expect(documented.sort()).toEqual([...found.values()].sort());
  });
});

describe('the page of an API in several processes', () => {
  const PROCESSES = 2;
  let program: GuardedProcess;
  let url: string;

  beforeAll(async () => {
    const { databaseUrl, temporalAddress, secretKey, smtpUrl, scratchDir } = testEnvironment();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    program = spawnProgram('api', await mkdtemp(join(scratchDir, 'metrics-')), {
      ...TEST_SETTINGS,
      ...{ API_PROCESSES: String(PROCESSES), PORT: String(port), METRICS_PORT: '0' },
      ...{ DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, SECRET_KEY: secretKey, EMAIL_PROVIDER_URL: smtpUrl },
    });
    await waitUntilReady(url, [program]);
    await bothServe();
  }, 300_000);

  afterAll(() => program?.stop());

  const processesOn = (page: ScrapedPage): string[] => [...new Set(page.samples.map(({ labels }) => labels.process!))].sort();
  /** One that is slow to answer is left off the page. */
  const bothServe = () => scrapeWhen(program, (page) => processesOn(page).length === PROCESSES);
  const health = (page: ScrapedPage, of: object = {}): number =>
    page.sum('everpost_http_requests_total', { route: '/api/v1/health', ...of }) ?? 0;

  test('has what each of them counted, wherever a request went', async () => {
    const calls = 40;
    for (let n = 0; n < calls; n++) await fetch(`${url}/api/v1/health`, { headers: { connection: 'close' } });
    const page = await bothServe();
    expect(health(page)).toBe(calls);
    expect(processesOn(page)).toEqual(['1', '2']);
    expect(page.sum('process_start_time_seconds', { process: '2' })).toBeGreaterThan(0);
  });

  test('gives the one that replaces another its number, and loses nothing of the others', async () => {
    const before = await bothServe();
    const killed = /"event":"process\.serves","name":"api-1","pid":(\d+)/.exec(program.lastLines(1_000))?.[1];
    process.kill(Number(killed), 'SIGKILL');
    await scrapeWhen(program, (page) => processesOn(page).length < PROCESSES || health(page) < health(before));
    const after = await bothServe();
    expect(processesOn(after)).toEqual(['1', '2']);
    expect(health(after, { process: '1' })).toBe(0);
    expect(health(after, { process: '2' })).toBe(health(before, { process: '2' }));
  });
});

test('a port that is taken is named with its variable', async () => {
  const log = createLogger('silent');
  const text = async (): Promise<string> => '';
  const metricsPort = await freePort();
  const page = await serveMetrics({ metricsPort, host: '127.0.0.1' }, log, text);
  await expect(serveMetrics({ metricsPort, host: '127.0.0.1' }, log, text)).rejects.toThrow(
    `port ${metricsPort} on 127.0.0.1 is in use by another program; stop it, or set METRICS_PORT`,
  );
  expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).toBe(404);
  await page!.close();
  expect(await serveMetrics({ metricsPort: undefined, host: '127.0.0.1' }, log, text)).toBeUndefined();
});
