import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { txtStrings } from '../../../platform/mail/dkim-key.ts';
import { domainCheckWorkflowId, RETRY_NOW_SIGNAL } from '../../../workflows/contracts.ts';
import { BOTH_PASS, type PublishedKey, verdicts } from '../../platform/mail/verified.ts';
import { eventually } from '../../support/eventually.ts';
import { type Everpost, startEverpost } from '../../support/everpost.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { mailTo } from '../../support/mail.ts';
import { type NameServerDouble, nameServer, type ZoneRecords, zones } from '../../support/name-server.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';
import { createEndpoint } from '../../support/webhook-endpoints.ts';

const names: Record<string, ZoneRecords> = {};
let dns: NameServerDouble;
let everpost: Everpost;
let receiver: HttpReceiver;
let client: Client;
let project: TestProject;

beforeAll(async () => {
  dns = await nameServer(zones(names));
  everpost = await startEverpost({ env: { DNS_SERVERS: dns.address, DKIM_ROTATE_DAYS: '30', TRACKING_HOST: 'mail.post.example' } });
  client = await temporalClient(everpost.namespace);
  project = await newProject({ everpost });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await receiver?.close();
  await everpost?.stop();
  dns?.close();
});

interface ToSet {
  readonly type: string;
  readonly purpose: string;
  readonly name: string;
  readonly value: string;
}

function publish(records: readonly ToSet[]): void {
  for (const { type, name, value } of records) names[name] = type === 'CNAME' ? { CNAME: value } : { TXT: [txtStrings(value)] };
}

/** The keys among records that are to be set, as who verifies them finds them. */
function published(records: readonly ToSet[]): PublishedKey[] {
  return records.flatMap(({ purpose, name, value }) => {
    const [selector = '', domain = ''] = name.split('._domainkey.');
    return purpose === 'dkim' ? [{ selector, domain, record: value, algorithm: 'rsa' as const, privateKey: '' }] : [];
  });
}

test('a domain is looked after until it is deleted: while it stands mail may be from it and is signed by its key, and endpoints and /attention are told when it does and when it fails', async () => {
  await createEndpoint(project, `${receiver.url}/domains`, { events: ['domain.verified', 'domain.failing'] });
  await enableTemplates(project, 'receipt');
  const domain = `own-${project.domain}`;
  const mailFrom = (at: string, to = project.address()) =>
    project.api.post('/send', { template: 'receipt', to, from: { email: `hello@${at}` }, data: { total: '1' } });
  const { id, records } = must(await project.api.post('/domains', { domain }), 201).domain;
  const handle = client.workflow.getHandle(domainCheckWorkflowId(id));
  const standing = async () => must(await project.api.get(`/domains/${id}`), 200).domain;
  const told = () => receiver.calls('/domains').map(({ body }) => JSON.parse(body));
  await eventually(async () => (await standing()).checked_at !== null);
  expect(await standing()).toMatchObject({ standing: 'pending', verified: false });
  expect(told()).toEqual([]);

  expect(must(await mailFrom(domain), 422).code).toBe('invalid_from');

  publish(records);
  await handle.signal(RETRY_NOW_SIGNAL);
  await eventually(async () => (await standing()).verified);
  await eventually(async () => told().length === 1);
  const about = { domain_id: id, domain };
  expect(told()[0]).toMatchObject({
    type: 'domain.verified',
    data: { ...about, standing: 'verified', verified: true, failing_since: null, problems: [] },
  });
  expect(must(await project.api.get('/attention'), 200).items).toEqual([]);
  for (const at of [domain, `a.${domain}`]) {
    const to = project.address();
    must(await mailFrom(at, to), 200);
    expect(await verdicts((await mailTo(to))[0]!.raw, published(records))).toEqual(['rsa-sha256 pass']);
  }

  delete names[records[1].name];
  await handle.signal(RETRY_NOW_SIGNAL);
  await eventually(async () => told().length === 2);
  expect(told()[1]).toMatchObject({
    type: 'domain.failing',
    data: { ...about, standing: 'failing', verified: true, problems: [{ purpose: 'dkim', problem: expect.any(String) }] },
  });
  expect(must(await project.api.get('/attention'), 200).items).toEqual([
    expect.objectContaining({
      kind: 'domain_failing',
      about: id,
      message: expect.stringContaining('missing or wrong (DKIM)'),
      since: (await standing()).failing_since,
    }),
  ]);
  expect((await handle.describe()).status.name).toBe('RUNNING');

  must(await project.api.delete(`/domains/${id}`), 200);
  expect(await handle.result()).toBe('the domain was deleted');
});

test('mail carries both signatures and leads to the host of its domain, and keys of an age get successors that take over', async () => {
  // What is known of the domains of the other one is kept for half a minute.
  const own = await newProject({ everpost });
  await enableTemplates(own, 'welcome');
  const domain = `both-${own.domain}`;
  const { id, records } = must(await own.api.post('/domains', { domain, ed25519: true }), 201).domain;
  const shown = async () => must(await own.api.get(`/domains/${id}`), 200).domain;
  const handle = client.workflow.getHandle(domainCheckWorkflowId(id));
  publish(records);
  await eventually(async () => (await shown()).checked_at !== null);
  await handle.signal(RETRY_NOW_SIGNAL);
  await eventually(async () => (await shown()).verified);
  const to = own.address();
  must(await own.api.post('/send', { template: 'welcome', to, from: { email: `hello@${domain}` } }), 200);
  const { raw } = (await mailTo(to))[0]!;
  expect(await verdicts(raw, published(records))).toEqual(BOTH_PASS);
  const [, unsubscribe = ''] = /^List-Unsubscribe: <([^>]+)>/m.exec(raw.replace(/\r\n /g, '')) ?? [];
  const { host, pathname, search } = new URL(unsubscribe);
  expect(host).toBe(`track.${domain}`);
  expect((await fetch(everpost.url + pathname + search)).status).toBe(200);

  const em = await database(everpost.databaseUrl);
  await em.getConnection().execute(`update dkim_keys set created_at = now() - interval '31 days' where domain_id = ?`, [id]);
  await handle.signal(RETRY_NOW_SIGNAL);
  await eventually(async () => published((await shown()).records).length === 4);
  expect(await shown()).toMatchObject({ standing: 'verified' });
  publish((await shown()).records);
  await handle.signal(RETRY_NOW_SIGNAL);
  const turn = async () =>
    (await shown()).records.flatMap(({ signs, action }: { signs: boolean | null; action: string }) =>
      signs === null ? [] : [`${signs} ${action}`],
    );
  await eventually(async () => (await turn()).includes('false keep'));
  expect(await turn()).toEqual(['true set', 'true set', 'false keep', 'false keep']);
  must(await own.api.delete(`/domains/${id}`), 200);
  expect(await handle.result()).toBe('the domain was deleted');
});

test('after somebody has had a domain looked up, its workflow looks again when the API says so: hourly once it fails', async () => {
  const domain = `asked-${project.domain}`;
  const { id, records } = must(await project.api.post('/domains', { domain }), 201).domain;
  const standing = async () => must(await project.api.get(`/domains/${id}`), 200).domain;
  const saidNext = async () => {
    const { next_check_at, checked_at } = await standing();
    return (Date.parse(next_check_at) - Date.parse(checked_at)) / 60_000;
  };
  await eventually(async () => (await standing()).checked_at !== null);
  expect(await saidNext()).toBe(2);
  publish(records);
  must(await project.api.post(`/domains/${id}/verify`), 200);
  expect(await saidNext()).toBe(24 * 60);
  const handle = client.workflow.getHandle(domainCheckWorkflowId(id));
  delete names[records[1].name];
  const asked = must(await project.api.post(`/domains/${id}/verify`), 200).domain;
  expect(await saidNext()).toBe(60);
  // By a timer of its own it would look in two minutes, or a day later.
  await eventually(async () => (await standing()).checked_at > asked.checked_at);
  const timers = async () => {
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => (timer ? [Number(timer.startToFireTimeout?.seconds)] : []));
  };
  await eventually(async () => (await timers()).at(-1) === 3_600);
  must(await project.api.delete(`/domains/${id}`), 200);
});
