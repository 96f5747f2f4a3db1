import { expect, test } from 'vitest';
import { findDomainById } from '../../../db/queries/domains/sending-domains.ts';
import { GRACE_MS } from '../../../domain/domains/standing.ts';
import { checkDomain, type ReadRecords } from '../../../usecases/domains/check-domain.ts';
import { must } from '../../support/sequences.ts';
import { DomainRig, type Shown, statesOf } from './domain-rig.ts';

const rig = new DomainRig();

test('a domain is verified once its records for ownership and DKIM are found, and by nothing less', async () => {
  const domain = await rig.add();
  expect([domain.standing, domain.verified, statesOf(domain)]).toEqual([
    'pending',
    false,
    { ownership: 'unchecked', dkim: 'unchecked', spf: 'unchecked', dmarc: 'unchecked' },
  ]);
  expect(await rig.verify(domain)).toMatchObject({ standing: 'pending', verified: false });
  rig.publish(domain, 'ownership', 'spf', 'dmarc');
  expect(statesOf(await rig.verify(domain))).toEqual({ ownership: 'found', dkim: 'missing', spf: 'found', dmarc: 'found' });
  rig.publish(domain, 'dkim');
  rig.names[domain.records[0]!.name] = { TXT: ['everpost-verification=of-somebody-else'] };
  expect(statesOf(await rig.verify(domain))).toEqual({ ownership: 'wrong', dkim: 'found', spf: 'found', dmarc: 'found' });
  rig.publish(domain, 'ownership');
  expect(await rig.verify(domain)).toMatchObject({ standing: 'verified', verified: true, failing_since: null });
  expect(must(await rig.project.api.get('/domains'), 200).domains).toEqual([
    expect.objectContaining({ domain: rig.name, standing: 'verified', verified: true, vouched: false }),
    expect.objectContaining({ domain: rig.project.domain, standing: 'pending', verified: true, vouched: true }),
  ]);
});

test('an outage of DNS neither verifies a domain nor takes that away, and says so', async () => {
  const domain = await rig.add();
  rig.publish(domain);
  rig.failing.add(domain.records[0]!.name);
  expect(await rig.verify(domain)).toMatchObject({ standing: 'pending', verified: false });
  rig.failing.clear();
  await rig.verify(domain);
  for (const { name: at } of domain.records) rig.failing.add(at);
  rig.passes(10 * GRACE_MS);
  const after = await rig.verify(domain);
  expect(after).toMatchObject({ standing: 'verified', verified: true });
  expect(after.records).toEqual(
    domain.records.map(({ purpose }) =>
      expect.objectContaining({ purpose, state: 'found', unavailable: expect.stringContaining('SERVFAIL') }),
    ),
  );
});

test('a look that somebody asks for tells what DNS says now, also when one that began before is written first', async () => {
  const domain = await rig.verified();
  const em = await rig.em();
  const before = (await findDomainById(em, domain.id))!;
  const common = {
    spfInclude: undefined,
    trackingHost: undefined,
    returnPathHost: undefined,
    now: () => new Date(rig.clock.getTime() + 1_000),
  };
  const asItWas = rig.readRecords;
  let earlier: Promise<unknown> | undefined;
  const asItIs: ReadRecords = async () => {
    earlier ??= checkDomain({ ...common, em: em.fork(), readRecords: asItWas }, before);
    await earlier;
    return { values: [] };
  };
  expect(await checkDomain({ ...common, em, readRecords: asItIs }, before, 'now')).toMatchObject({ standing: 'failing' });
});

test('a record that is gone makes a domain fail, which ends its right to send only when it is not back in three days', async () => {
  const domain = await rig.add();
  rig.publish(domain);
  await rig.verify(domain);
  delete rig.names[domain.records[1]!.name];
  const since = rig.clock.toISOString();
  expect(await rig.verify(domain)).toMatchObject({ standing: 'failing', verified: true, failing_since: since });
  rig.passes(GRACE_MS - 1);
  expect(await rig.verify(domain)).toMatchObject({ standing: 'failing', verified: true, failing_since: since });
  rig.publish(domain);
  expect(await rig.verify(domain)).toMatchObject({ standing: 'verified', failing_since: null });
  delete rig.names[domain.records[0]!.name];
  await rig.verify(domain);
  rig.passes(GRACE_MS);
  expect(await rig.verify(domain)).toMatchObject({ standing: 'pending', verified: false, failing_since: null });
  rig.publish(domain);
  expect(await rig.verify(domain)).toMatchObject({ standing: 'verified', verified: true });
});

test('a domain that an operator vouches for stays verified whatever DNS says', async () => {
  const domain = await rig.add({ domain: rig.project.domain });
  expect(domain).toMatchObject({ verified: true, vouched: true, standing: 'pending' });
  expect(await rig.verify(domain)).toMatchObject({ verified: true, standing: 'pending' });
});

test('of a subdomain the policy of DMARC of a domain above it counts, the nearest that has one', async () => {
  const domain = await rig.add();
  rig.publish(domain, 'ownership', 'dkim');
  rig.names[`_dmarc.${rig.project.domain}`] = { TXT: ['v=DMARC1; p=reject'] };
  const { records } = await rig.verify(domain);
  expect(records.find(({ purpose }) => purpose === 'dmarc')).toMatchObject({
    state: 'found',
    problem: null,
    found: ['v=DMARC1; p=reject'],
  });
  rig.names[`_dmarc.${rig.name}`] = { TXT: ['a text of somebody else'] };
  expect(statesOf(await rig.verify(domain)).dmarc).toBe('found');
  rig.names[`_dmarc.${rig.name}`] = { TXT: ['v=DMARC1; p=sometimes'] };
  expect(statesOf(await rig.verify(domain)).dmarc).toBe('wrong');
});

test('a domain that is added again, or by many calls at once, is one, with one key', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => rig.add({ domain: rig.name.toUpperCase() })));
  expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  expect(new Set(all.map(({ records }) => JSON.stringify(records))).size).toBe(1);
  expect((await rig.add()).id).toBe(all[0]!.id);
});

test('two projects with the same domain have records of their own, and each is verified by its own only', async () => {
  const [mine, other] = [await rig.add(), await rig.newProject()];
  const theirs: Shown = must(await other.api.post('/domains', { domain: rig.name }), 201).domain;
  rig.publish(theirs);
  rig.publish(mine, 'dkim');
  expect(await rig.verify(mine)).toMatchObject({ standing: 'pending', verified: false });
  expect(statesOf(await rig.verify(mine)).ownership).toBe('wrong');
  rig.names[mine.records[0]!.name] = { TXT: [theirs.records[0]!.value, mine.records[0]!.value] };
  expect(await rig.verify(mine)).toMatchObject({ standing: 'verified' });
  must(await rig.project.api.get(`/domains/${theirs.id}`), 404);
  must(await rig.project.api.post(`/domains/${theirs.id}/verify`), 404);
  must(await rig.project.api.delete(`/domains/${theirs.id}`), 404);
});

test('a domain that was deleted is no sender any more, and has another key when it is added again', async () => {
  const domain = await rig.add();
  rig.publish(domain);
  await rig.verify(domain);
  expect(must(await rig.project.api.delete(`/domains/${domain.id}`), 200)).toEqual({ ok: true, deleted: true });
  must(await rig.project.api.delete(`/domains/${domain.id}`), 404);
  must(await rig.project.api.get(`/domains/${domain.id}`), 404);
  const again = await rig.add();
  expect(again.records.map(({ value }) => value)).not.toEqual(domain.records.map(({ value }) => value));
  expect(await rig.verify(again)).toMatchObject({ standing: 'pending' });
});

test('a private key is stored sealed, and is in no answer', async () => {
  const domain = await rig.add();
  const em = await rig.em();
  const [key = {}] = await em.getConnection().execute('select sealed_private_key from dkim_keys where domain_id = ?', [domain.id]);
  expect(key.sealed_private_key.toString('latin1')).not.toContain('rsaEncryption');
  expect(JSON.stringify(must(await rig.project.api.get(`/domains/${domain.id}`), 200))).not.toMatch(/private|sealed/i);
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
  expect(must(await rig.project.api.post('/domains', { domain }), 422).code).toBe('invalid_request');
});

test('a domain may be given with the dot that hosts of DNS show at its end', async () => {
  expect(must(await rig.project.api.post('/domains', { domain: `Dot.${rig.name}.` }), 201).domain.domain).toBe(`dot.${rig.name}`);
});

test('a project has at most 100 domains', async () => {
  await rig.addOthers(99);
  expect(must(await rig.project.api.post('/domains', { domain: rig.name }), 422).code).toBe('too_many_domains');
  must(await rig.project.api.post('/domains', { domain: 'd7.example' }), 201);
});

test('where the installation has no host for links, no record is asked for', async () => {
  expect((await rig.add()).records.map(({ purpose }) => purpose)).toEqual(['ownership', 'dkim', 'spf', 'dmarc']);
});
