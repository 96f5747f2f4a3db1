import { expect, test } from 'vitest';
import { DomainRig, type Shown, statesOf } from './domain-rig.ts';

const HOST = 'back.post.example';
const rig = new DomainRig({ returnPathHost: HOST });
const recordOf = ({ records }: Shown) => records.find(({ purpose }) => purpose === 'return_path')!;

test('mail comes back to a host of its domain once that is verified and its CNAME is found, mail from domains below it, too', async () => {
  const domain = await rig.add();
  expect(recordOf(domain)).toMatchObject({ type: 'CNAME', name: `bounces.${rig.name}`, value: HOST, required: false, action: 'set' });
  rig.publish(domain, 'return_path');
  expect(statesOf(await rig.verify(domain))).toMatchObject({ return_path: 'found', ownership: 'missing' });
  expect(await rig.returnHost(rig.name)).toBeUndefined();
  rig.publish(domain, 'ownership', 'dkim');
  await rig.verify(domain);
  expect(await rig.returnHost(rig.name)).toBe(`bounces.${rig.name}`);
  expect(await rig.returnHost(`a.${rig.name}`)).toBe(`bounces.${rig.name}`);
  expect(await rig.returnHost(rig.project.domain)).toBeUndefined();
});

test('it comes back to the host of the installation again with the first look that misses the CNAME; an outage changes nothing', async () => {
  const domain = await rig.verified();
  const { name } = recordOf(domain);
  rig.failing.add(name);
  await rig.verify(domain);
  expect(await rig.returnHost(rig.name)).toBe(name);
  rig.failing.clear();
  rig.names[name] = { CNAME: 'elsewhere.example' };
  const shown = await rig.verify(domain);
  expect([shown.standing, recordOf(shown).problem]).toEqual(['verified', `it leads to elsewhere.example; it should lead to ${HOST}`]);
  expect(await rig.returnHost(rig.name)).toBeUndefined();
});
