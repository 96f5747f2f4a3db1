import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { txtStrings } from '../../platform/mail/dkim-key.ts';
import { domainCheckWorkflowId, RETRY_NOW_SIGNAL } from '../../workflows/contracts.ts';
import { type PublishedKey, verdicts } from '../platform/mail/verified.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { mailTo } from '../support/mail.ts';
import { type NameServerDouble, nameServer, type ZoneRecords, zones } from '../support/name-server.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { createEndpoint } from '../support/webhook-endpoints.ts';

const names: Record<string, ZoneRecords> = {};
let dns: NameServerDouble;
let everpost: Everpost;
let receiver: HttpReceiver;
let client: Client;
let project: TestProject;

beforeAll(async () => {
  dns = await nameServer(zones(names));
  everpost = await startEverpost({ env: { DNS_SERVERS: dns.address } });
  client = await temporalClient(everpost.namespace);
  project = await newProject({ everpost });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await receiver?.close();
  await everpost?.stop();
  dns?.close();
});

/** The key of a record that is to be set, as who verifies it finds it. */
function published({ name, value }: { readonly name: string; readonly value: string }): PublishedKey {
  const [selector = '', domain = ''] = name.split('._domainkey.');
  return { selector, domain, record: value, algorithm: 'rsa', privateKey: '' };
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

  for (const { name, value } of records) names[name] = { TXT: [txtStrings(value)] };
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
    expect(await verdicts((await mailTo(to))[0]!.raw, [published(records[1])])).toEqual(['rsa-sha256 pass']);
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
      message: expect.stringContaining('dkim'),
      since: (await standing()).failing_since,
    }),
  ]);
  expect((await handle.describe()).status.name).toBe('RUNNING');

  must(await project.api.delete(`/domains/${id}`), 200);
  expect(await handle.result()).toBe('the domain was deleted');
});
