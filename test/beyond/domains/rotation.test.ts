import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createDomainActivities } from '../../../activities/domain-check.ts';
import type { MikroORM } from '../../../db/orm.ts';
import { OVERLAP_MS } from '../../../domain/domains/key-turns.ts';
import { must } from '../../support/sequences.ts';
import { DomainRig, keysOf, passes, type Shown, selectorOf, vault } from './domain-rig.ts';

const DAY_MS = 86_400_000;
const rig = new DomainRig();
const verified = (part?: object): Promise<Shown> => rig.verified(part);
const signatures = (domain: Shown): Promise<string[]> => rig.signatures(domain);

test('a new key signs from when its record is found on, and the old one until then; its record is to be kept for a week, and then its key is gone', async () => {
  const first = await verified();
  const [old] = keysOf(first);
  expect(old).toMatchObject({ action: 'set', signs: true, required: true, algorithm: 'rsa', keep_until: null });
  expect(await signatures(first)).toEqual([passes(old!)]);

  const [, added] = keysOf(await rig.ask(first, 'rotate'));
  expect(added).toMatchObject({ action: 'set', signs: false, required: false, state: 'unchecked' });
  expect(await rig.verify(first)).toMatchObject({ standing: 'verified' });
  expect(await signatures(first)).toEqual([passes(old!)]);

  rig.publish({ records: [added!] });
  expect(await signatures(first)).toEqual([passes(old!)]);
  const turned = await rig.verify(first);
  const until = new Date(rig.clock.getTime() + OVERLAP_MS).toISOString();
  expect(turned.standing).toBe('verified');
  expect(keysOf(turned)).toEqual([
    expect.objectContaining({ name: added!.name, action: 'set', signs: true, required: true }),
    expect.objectContaining({ name: old!.name, action: 'keep', signs: false, required: false, keep_until: until, state: 'found' }),
  ]);
  expect(await signatures(first)).toEqual([passes(added!)]);

  rig.passes(OVERLAP_MS - 1);
  expect(keysOf(await rig.verify(first))[1]).toMatchObject({ action: 'keep' });
  rig.passes(1);
  expect(keysOf(await rig.verify(first))[1]).toMatchObject({ name: old!.name, action: 'remove', keep_until: null });
  const em = await rig.em();
  const stored = await em.getConnection().execute('select selector, sealed_private_key from dkim_keys where domain_id = ?', [first.id]);
  expect(stored.find(({ selector }) => selector === selectorOf(old!))?.sealed_private_key).toBeNull();

  delete rig.names[old!.name];
  await rig.verify(first);
  expect(keysOf(await rig.verify(first))).toEqual([expect.objectContaining({ name: added!.name, action: 'set' })]);
  expect(await signatures(first)).toEqual([passes(added!)]);
});

test('when the new record is lost within the overlap the old key signs again, and the domain stands', async () => {
  const first = await verified();
  const [old, added] = keysOf(await rig.ask(first, 'rotate'));
  rig.publish({ records: [added!] });
  await rig.verify(first);
  delete rig.names[added!.name];
  rig.passes(OVERLAP_MS);
  expect(await rig.verify(first)).toMatchObject({ standing: 'verified' });
  expect(await signatures(first)).toEqual([passes(old!)]);
  delete rig.names[old!.name];
  expect(await rig.verify(first)).toMatchObject({ standing: 'failing' });
  expect(await signatures(first)).toEqual([]);
});

test('an outage of DNS turns no key, and ends no overlap', async () => {
  const first = await verified();
  const [old, added] = keysOf(await rig.ask(first, 'rotate'));
  rig.failing.add(added!.name);
  rig.publish({ records: [added!] });
  await rig.verify(first);
  expect(await signatures(first)).toEqual([passes(old!)]);
  rig.failing.clear();
  await rig.verify(first);
  rig.failing.add(added!.name);
  rig.passes(2 * OVERLAP_MS);
  expect(keysOf(await rig.verify(first))[1]).toMatchObject({ name: old!.name, action: 'keep' });
  expect(await signatures(first)).toEqual([passes(added!)]);
});

test('a key that was lost before it was replaced gets a successor, whose record makes the domain stand again', async () => {
  const first = await verified();
  delete rig.names[keysOf(first)[0]!.name];
  expect(await rig.verify(first)).toMatchObject({ standing: 'failing' });
  const rotated = await rig.ask(first, 'rotate');
  const added = keysOf(rotated).find(({ name }) => name !== keysOf(first)[0]!.name)!;
  rig.publish({ records: [added] });
  expect(await rig.verify(first)).toMatchObject({ standing: 'verified' });
  expect(await signatures(first)).toEqual([passes(added)]);
});

test('a domain that is deleted while its keys rotate is gone, and so are all of them', async () => {
  const first = await verified();
  const calls = [rig.project.api.post(`/domains/${first.id}/rotate`), rig.project.api.delete(`/domains/${first.id}`)];
  const [rotated, deleted] = await Promise.all(calls);
  expect([200, 404]).toContain(rotated!.status);
  expect(deleted!.status).toBe(200);
  must(await rig.project.api.post(`/domains/${first.id}/rotate`), 404);
  const em = await rig.em();
  expect(await em.getConnection().execute('select 1 from dkim_keys where domain_id = ?', [first.id])).toEqual([]);
  expect(await signatures(first)).toEqual([]);
});

test('a rotation that breaks off leaves nothing behind, and the next one makes its key', async () => {
  const first = await verified();
  const em = await rig.em();
  // The last thing that a rotation writes.
  await em.getConnection().execute(`alter table outbox add constraint refuses check (workflow_id <> 'domain-check/${first.id}') not valid`);
  must(await rig.project.api.post(`/domains/${first.id}/rotate`), 500);
  await em.getConnection().execute('alter table outbox drop constraint refuses');
  const shown: Shown = must(await rig.project.api.get(`/domains/${first.id}`), 200).domain;
  expect(keysOf(shown)).toHaveLength(1);
  expect(keysOf(await rig.ask(first, 'rotate'))).toHaveLength(2);
});

test("another project's domain is not rotated, nor is it changed", async () => {
  const first = await verified();
  const other = await rig.newProject();
  must(await other.api.post(`/domains/${first.id}/rotate`), 404);
  must(await other.api.call('PATCH', `/domains/${first.id}`, { ed25519: true }), 404);
});

test('/attention names a new key that waits for its record, until that is found', async () => {
  const first = await verified();
  const items = async () => must(await rig.project.api.get('/attention'), 200).items;
  expect(await items()).toEqual([]);
  const [, added] = keysOf(await rig.ask(first, 'rotate'));
  expect(await items()).toEqual([
    expect.objectContaining({ kind: 'domain_key_awaited', about: first.id, message: expect.stringContaining(added!.name) }),
  ]);
  rig.publish({ records: [added!] });
  await rig.verify(first);
  expect(await items()).toEqual([]);
});

test('keys that sign and are as old as the installation wants get successors by the workflow, once', async () => {
  const first = await verified({ ed25519: true });
  const activities = createDomainActivities({
    ...{
      orm: { em: await rig.em() } as MikroORM,
      vault: vault(),
      readRecords: rig.readRecords,
      spfInclude: undefined,
      trackingHost: undefined,
      returnPathHost: undefined,
    },
    ...{ now: () => rig.clock, newId: () => uuidv7(), rotateAfterMs: 30 * DAY_MS },
  });
  const look = () => activities.checkDomainRecords({ domainId: first.id });
  const shown = async (): Promise<Shown> => must(await rig.project.api.get(`/domains/${first.id}`), 200).domain;
  rig.passes(30 * DAY_MS - 1);
  expect(await look()).toMatchObject({ standing: 'verified', lacking: [], nextInMs: DAY_MS });
  rig.passes(1);
  expect(await look()).toMatchObject({ standing: 'verified', lacking: ['dkim', 'dkim'], nextInMs: 120_000 });
  expect(keysOf(await shown())).toHaveLength(4);
  rig.passes(30 * DAY_MS);
  await look();
  expect(keysOf(await shown())).toHaveLength(4);
  rig.publish(await shown());
  expect(await look()).toMatchObject({ standing: 'verified', lacking: [] });
  expect(keysOf(await shown()).map(({ action }) => action)).toEqual(['set', 'set', 'keep', 'keep']);
});
