import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { GRACE_MS } from '../../../domain/domains/standing.ts';
import { createDns } from '../../../platform/dns/dns.ts';
import { nameServerOf } from '../../../platform/dns/name-server.ts';
import { txtStrings } from '../../../platform/mail/dkim-key.ts';
import { createReadTexts } from '../../../usecases/domains/read-texts.ts';
import type { Api } from '../../support/api.ts';
import { createMigrated } from '../../support/databases.ts';
import { testEnvironment } from '../../support/environment.ts';
import { startInboundApi } from '../../support/inbound-api.ts';
import { CODES, type NameServerDouble, nameServer, type ZoneRecords, zones } from '../../support/name-server.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

/** What DNS has, by name. */
const names: Record<string, ZoneRecords> = {};
/** Names about which their servers say nothing but that they fail. */
const failing = new Set<string>();
let dns: NameServerDouble;
let databaseUrl: string;
let clock = new Date();
let server: Awaited<ReturnType<typeof startInboundApi>>;
let project: TestProject;
let domains: Api;
let name: string;

beforeAll(async () => {
  const known = zones(names);
  // Without a worker, which would look after the domains, too.
  databaseUrl = await createMigrated(testEnvironment().databaseUrl);
  dns = await nameServer((asked) => (failing.has(asked.name) ? { flags: CODES.SERVFAIL } : known(asked)));
  server = await startInboundApi({
    databaseUrl,
    readTexts: createReadTexts(createDns({ servers: [nameServerOf(dns.address)!], timeoutMs: 60_000 })),
    spfInclude: '_spf.post.example',
    now: () => clock,
  });
});
afterAll(async () => {
  await server.stop();
  dns.close();
});
beforeEach(async () => {
  for (const at of Object.keys(names)) delete names[at];
  failing.clear();
  clock = new Date();
  project = await newProject({ everpost: { url: server.url, databaseUrl } });
  domains = project.api;
  name = `mail.${project.domain}`;
});

interface Shown {
  readonly id: string;
  readonly standing: string;
  readonly verified: boolean;
  readonly records: readonly { readonly purpose: string; readonly name: string; readonly value: string; readonly state: string }[];
}

const add = async (domain = name): Promise<Shown> => must(await domains.post('/domains', { domain }), 201).domain;
const verify = async ({ id }: Pick<Shown, 'id'>): Promise<Shown> => must(await domains.post(`/domains/${id}/verify`), 200).domain;
const publish = ({ records }: Shown, ...purposes: readonly string[]) => {
  for (const record of records)
    if (purposes.length === 0 || purposes.includes(record.purpose)) names[record.name] = { TXT: [txtStrings(record.value)] };
};
const statesOf = ({ records }: Shown) => Object.fromEntries(records.map(({ purpose, state }) => [purpose, state]));

test('a domain is verified once its records for ownership and DKIM are found, and by nothing less', async () => {
  const domain = await add();
  expect([domain.standing, domain.verified, statesOf(domain)]).toEqual([
    'pending',
    false,
    { ownership: 'unchecked', dkim: 'unchecked', spf: 'unchecked', dmarc: 'unchecked' },
  ]);
  expect(await verify(domain)).toMatchObject({ standing: 'pending', verified: false });
  publish(domain, 'ownership', 'spf', 'dmarc');
  expect(statesOf(await verify(domain))).toEqual({ ownership: 'found', dkim: 'missing', spf: 'found', dmarc: 'found' });
  publish(domain, 'dkim');
  names[domain.records[0]!.name] = { TXT: ['everpost-verification=of-somebody-else'] };
  expect(statesOf(await verify(domain))).toEqual({ ownership: 'wrong', dkim: 'found', spf: 'found', dmarc: 'found' });
  publish(domain, 'ownership');
  expect(await verify(domain)).toMatchObject({ standing: 'verified', verified: true, failing_since: null });
  expect(must(await domains.get('/domains'), 200).domains).toEqual([
    expect.objectContaining({ domain: name, standing: 'verified', verified: true, vouched: false }),
    expect.objectContaining({ domain: project.domain, standing: 'pending', verified: true, vouched: true }),
  ]);
});

test('an outage of DNS neither verifies a domain nor takes that away, and says so', async () => {
  const domain = await add();
  publish(domain);
  failing.add(domain.records[0]!.name);
  expect(await verify(domain)).toMatchObject({ standing: 'pending', verified: false });
  failing.clear();
  await verify(domain);
  for (const { name: at } of domain.records) failing.add(at);
  clock = new Date(clock.getTime() + 10 * GRACE_MS);
  const after = await verify(domain);
  expect(after).toMatchObject({ standing: 'verified', verified: true });
  expect(after.records).toEqual(
    domain.records.map(({ purpose }) =>
      expect.objectContaining({ purpose, state: 'found', unavailable: expect.stringContaining('SERVFAIL') }),
    ),
  );
});

test('a record that is gone makes a domain fail, which ends its right to send only when it is not back in three days', async () => {
  const domain = await add();
  publish(domain);
  await verify(domain);
  delete names[domain.records[1]!.name];
  const since = clock.toISOString();
  expect(await verify(domain)).toMatchObject({ standing: 'failing', verified: true, failing_since: since });
  clock = new Date(clock.getTime() + GRACE_MS - 1);
  expect(await verify(domain)).toMatchObject({ standing: 'failing', verified: true, failing_since: since });
  publish(domain);
  expect(await verify(domain)).toMatchObject({ standing: 'verified', failing_since: null });
  delete names[domain.records[0]!.name];
  await verify(domain);
  clock = new Date(clock.getTime() + GRACE_MS);
  expect(await verify(domain)).toMatchObject({ standing: 'pending', verified: false, failing_since: null });
  publish(domain);
  expect(await verify(domain)).toMatchObject({ standing: 'verified', verified: true });
});

test('a domain that an operator vouches for stays verified whatever DNS says', async () => {
  const domain = await add(project.domain);
  expect(domain).toMatchObject({ verified: true, vouched: true, standing: 'pending' });
  expect(await verify(domain)).toMatchObject({ verified: true, standing: 'pending' });
});

test('of a subdomain the policy of DMARC of a domain above it counts, the nearest that has one', async () => {
  const domain = await add();
  publish(domain, 'ownership', 'dkim');
  names[`_dmarc.${project.domain}`] = { TXT: ['v=DMARC1; p=reject'] };
  expect(statesOf(await verify(domain)).dmarc).toBe('found');
  names[`_dmarc.${name}`] = { TXT: ['a text of somebody else'] };
  expect(statesOf(await verify(domain)).dmarc).toBe('found');
  names[`_dmarc.${name}`] = { TXT: ['v=DMARC1; p=sometimes'] };
  expect(statesOf(await verify(domain)).dmarc).toBe('wrong');
});

test('a domain that is added again, or by many calls at once, is one, with one key', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => add(name.toUpperCase())));
  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  expect(new Set(all.map(({ records }) => JSON.stringify(records))).size).toBe(1);
  expect((await add()).id).toBe(all[0]!.id);
});

test('two projects with the same domain have records of their own, and each is verified by its own only', async () => {
  const [mine, other] = [await add(), await newProject({ everpost: { url: server.url, databaseUrl } })];
  const theirs: Shown = must(await other.api.post('/domains', { domain: name }), 201).domain;
  publish(theirs);
  publish(mine, 'dkim');
  expect(await verify(mine)).toMatchObject({ standing: 'pending', verified: false });
  expect(statesOf(await verify(mine)).ownership).toBe('wrong');
  names[mine.records[0]!.name] = { TXT: [theirs.records[0]!.value, mine.records[0]!.value] };
  expect(await verify(mine)).toMatchObject({ standing: 'verified' });
  must(await domains.get(`/domains/${theirs.id}`), 404);
  must(await domains.post(`/domains/${theirs.id}/verify`), 404);
  must(await domains.delete(`/domains/${theirs.id}`), 404);
});

test('a domain that was deleted is no sender any more, and has another key when it is added again', async () => {
  const domain = await add();
  publish(domain);
  await verify(domain);
  expect(must(await domains.delete(`/domains/${domain.id}`), 200)).toEqual({ ok: true, deleted: true });
  must(await domains.delete(`/domains/${domain.id}`), 404);
  must(await domains.get(`/domains/${domain.id}`), 404);
  const again = await add();
  expect(again.records.map(({ value }) => value)).not.toEqual(domain.records.map(({ value }) => value));
  expect(await verify(again)).toMatchObject({ standing: 'pending' });
});

test('a private key is stored sealed, and is in no answer', async () => {
  const domain = await add();
  const em = await database(databaseUrl);
  const [key = {}] = await em.getConnection().execute('select sealed_private_key from dkim_keys where domain_id = ?', [domain.id]);
  expect(key.sealed_private_key.toString('latin1')).not.toContain('rsaEncryption');
  expect(JSON.stringify(must(await domains.get(`/domains/${domain.id}`), 200))).not.toMatch(/private|sealed/i);
});

test.each([
  undefined,
  null,
  3,
  '',
  'localhost',
  'a..b',
  '-a.example',
  '127.0.0.1',
  'a@b.example',
  `${'a'.repeat(64)}.example`,
  'x'.repeat(100_000),
])('no domain: %s', async (domain) => {
  expect(must(await domains.post('/domains', { domain }), 422).code).toBe('invalid_request');
});

test('a project has at most 100 domains', async () => {
  const em = await database(databaseUrl);
  await em
    .getConnection()
    .execute(
      `insert into sending_domains (id, project_id, domain) select uuid_v7(), ?, 'd' || n || '.example' from generate_series(1, 99) n`,
      [project.id],
    );
  expect(must(await domains.post('/domains', { domain: name }), 422).code).toBe('too_many_domains');
  must(await domains.post('/domains', { domain: 'd7.example' }), 201);
});
