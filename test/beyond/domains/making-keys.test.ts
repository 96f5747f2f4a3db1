import { createHook } from 'node:async_hooks';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lockSendingDomain } from '../../../db/queries/domains/sending-domains.ts';
import { lackingKeys } from '../../../usecases/domains/give-keys.ts';
import { makeKeys } from '../../../usecases/domains/make-keys.ts';
import { must } from '../../support/sequences.ts';
import { DomainRig, keysOf, vault } from './domain-rig.ts';

/** Keys that Node was asked to make in this process, where the API is, since the test began. */
let made = 0;
const counting = createHook({
  init(_, type) {
    if (type === 'KEYPAIRGENREQUEST') made++;
  },
});
beforeAll(() => void counting.enable());
afterAll(() => void counting.disable());

const rig = new DomainRig();
beforeEach(() => {
  made = 0;
});

test('calls that add the same domain at once make one key, and one that comes later makes none', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => rig.add()));
  expect(new Set(all.map(({ records }) => JSON.stringify(records))).size).toBe(1);
  await rig.add();
  expect(made).toBe(1);
});

test('calls that rotate at once make one key, and so does one that comes while it waits', async () => {
  const domain = await rig.add();
  rig.publish(domain);
  await rig.verify(domain);
  const all = await Promise.all(Array.from({ length: 8 }, () => rig.ask(domain, 'rotate')));
  all.push(await rig.ask(domain, 'rotate'));
  expect(new Set(all.map((shown) => JSON.stringify(keysOf(shown).map(({ name }) => name)))).size).toBe(1);
  expect(made).toBe(2);
});

test('processes that make the keys of a domain at once make one: whoever waited for the domain finds the other key', async () => {
  const domain = await rig.add();
  const em = await rig.em();
  await em.getConnection().execute('delete from dkim_keys where domain_id = ?', [domain.id]);
  const making = { vault: vault(), newId: () => uuidv7(), now: () => rig.clock };
  const all = Array.from({ length: 3 }, () =>
    em.fork().transactional(async (tx) => {
      const held = await lockSendingDomain(tx, domain.id);
      return makeKeys(tx, making, held!, lackingKeys(false));
    }),
  );
  expect((await Promise.all(all)).map((each) => each.made).sort()).toEqual([0, 0, 1]);
});

test('a key of Ed25519 is made where it is asked for, and none of RSA beside it for a domain that has one', async () => {
  await rig.add();
  await Promise.all(Array.from({ length: 4 }, () => rig.add({ ed25519: true })));
  expect(keysOf(await rig.add()).map(({ algorithm }) => algorithm)).toEqual(['rsa', 'ed25519']);
  expect(made).toBe(2);
});

test('no key is made for a domain that is refused or gone', async () => {
  const domain = await rig.add();
  must(await rig.project.api.delete(`/domains/${domain.id}`), 200);
  must(await rig.project.api.post(`/domains/${domain.id}/rotate`), 404);
  await rig.addOthers(99);
  must(await rig.project.api.post('/domains', { domain: rig.name }), 422);
  expect(made).toBe(1);
});
