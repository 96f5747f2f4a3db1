import { expect, test } from 'vitest';
import { OVERLAP_MS } from '../../../domain/domains/key-turns.ts';
import { must } from '../../support/sequences.ts';
import { DomainRig, keysOf, passes, type Shown } from './domain-rig.ts';

const rig = new DomainRig();
const verified = (): Promise<Shown> => rig.verified();
const signatures = (domain: Shown): Promise<string[]> => rig.signatures(domain);
const change = async ({ id }: Shown, ed25519: boolean): Promise<Shown> =>
  must(await rig.project.api.call('PATCH', `/domains/${id}`, { ed25519 }), 200).domain;

test('with Ed25519 mail carries both signatures once both records are found, and that of RSA alone before', async () => {
  const domain = await rig.add({ ed25519: true });
  expect(domain.ed25519).toBe(true);
  const [rsa, second] = keysOf(domain);
  expect([rsa, second].map((record) => [record!.algorithm, record!.required])).toEqual([
    ['rsa', true],
    ['ed25519', false],
  ]);
  expect(second!.value).toMatch(/^v=DKIM1; k=ed25519; p=/);
  rig.publish({ records: [second!] });
  rig.publish(domain, 'ownership');
  delete rig.names[rsa!.name];
  expect(await rig.verify(domain)).toMatchObject({ standing: 'pending' });
  expect(await signatures(domain)).toEqual([]);
  delete rig.names[second!.name];
  rig.publish({ records: [rsa!] });
  expect(await rig.verify(domain)).toMatchObject({ standing: 'verified' });
  expect(await signatures(domain)).toEqual([passes(rsa!)]);
  rig.publish({ records: [second!] });
  await rig.verify(domain);
  expect(await signatures(domain)).toEqual([passes(rsa!), passes(second!, 'ed25519')]);

  const rotated = keysOf(await rig.ask(domain, 'rotate'));
  expect(rotated.map(({ algorithm }) => algorithm).sort()).toEqual(['ed25519', 'ed25519', 'rsa', 'rsa']);
  const newSecond = rotated.find(({ algorithm, signs }) => algorithm === 'ed25519' && !signs)!;
  rig.publish({ records: [newSecond] });
  await rig.verify(domain);
  expect(await signatures(domain)).toEqual([passes(rsa!), passes(newSecond, 'ed25519')]);
});

test('Ed25519 that is switched on later gets a record of its own; switched off it signs no more, and its record is to be kept', async () => {
  const domain = await verified();
  const [rsa] = keysOf(domain);
  const [, second] = keysOf(await change(domain, true));
  expect(second).toMatchObject({ algorithm: 'ed25519', action: 'set', signs: false, required: false });
  expect(keysOf(await rig.add({ ed25519: true }))).toHaveLength(2);
  rig.publish({ records: [second!] });
  await rig.verify(domain);
  expect(await signatures(domain)).toEqual([passes(rsa!), passes(second!, 'ed25519')]);
  const off = await change(domain, false);
  expect(off.ed25519).toBe(false);
  expect(keysOf(off)[1]).toMatchObject({ name: second!.name, action: 'keep', signs: false });
  expect(await signatures(domain)).toEqual([passes(rsa!)]);
  rig.passes(OVERLAP_MS);
  expect(keysOf(await rig.verify(domain))[1]).toMatchObject({ name: second!.name, action: 'remove' });
  expect(await signatures(domain)).toEqual([passes(rsa!)]);
});

test('Ed25519 that is switched off before it has signed leaves no record to keep', async () => {
  const domain = await verified();
  await change(domain, true);
  expect(keysOf(await change(domain, false))).toHaveLength(1);
});

test.each([undefined, null, 'yes', 1])('no change: ed25519 %s', async (ed25519) => {
  const domain = await rig.add();
  expect(must(await rig.project.api.call('PATCH', `/domains/${domain.id}`, { ed25519 }), 422).code).toBe('invalid_request');
});
