import { expect, test } from 'vitest';
import { DomainRig, type Shown, statesOf } from './domain-rig.ts';

const HOST = 'mail.post.example';
const rig = new DomainRig({ trackingHost: HOST });
const linksUrl = (domain: string): Promise<string | undefined> => rig.linksUrl(domain);
const recordOf = ({ records }: Shown) => records.find(({ purpose }) => purpose === 'tracking')!;

test('links lead to the host of a domain once it is verified and its CNAME is found, in mail from domains below it, too', async () => {
  const domain = await rig.add();
  expect(recordOf(domain)).toMatchObject({ type: 'CNAME', name: `track.${rig.name}`, value: HOST, required: false, action: 'set' });
  rig.publish(domain, 'tracking');
  expect(statesOf(await rig.verify(domain))).toMatchObject({ tracking: 'found', ownership: 'missing' });
  expect(await linksUrl(rig.name)).toBeUndefined();
  rig.publish(domain, 'ownership', 'dkim');
  await rig.verify(domain);
  expect(await linksUrl(rig.name)).toBe(`https://track.${rig.name}/post`);
  expect(await linksUrl(`a.${rig.name}`)).toBe(`https://track.${rig.name}/post`);
  expect(await linksUrl(rig.project.domain)).toBeUndefined();
});

test('links lead to the public URL again with the first look that misses the CNAME, which leaves the domain verified; an outage changes nothing', async () => {
  const domain = await rig.verified();
  const { name } = recordOf(domain);
  rig.failing.add(name);
  await rig.verify(domain);
  expect(await linksUrl(rig.name)).toBe(`https://track.${rig.name}/post`);
  rig.failing.clear();
  for (const found of [undefined, { CNAME: 'elsewhere.example' }, { A: ['192.0.2.1'] }]) {
    rig.publish(domain, 'tracking');
    await rig.verify(domain);
    expect(await linksUrl(rig.name)).toBeDefined();
    if (found) rig.names[name] = found;
    else delete rig.names[name];
    const shown = await rig.verify(domain);
    expect(shown).toMatchObject({ standing: 'verified' });
    expect(recordOf(shown).problem).toEqual(expect.any(String));
    expect(await linksUrl(rig.name)).toBeUndefined();
  }
});

test('a CNAME that leads to the host by way of others counts as found, and one that goes round does not', async () => {
  const domain = await rig.verified();
  const { name } = recordOf(domain);
  rig.names[name] = { CNAME: 'cdn.elsewhere.example' };
  rig.names['cdn.elsewhere.example'] = { CNAME: HOST };
  // What the host itself leads to is not asked.
  rig.failing.add(HOST);
  expect(recordOf(await rig.verify(domain))).toMatchObject({ state: 'found', problem: null });
  expect(await linksUrl(rig.name)).toBe(`https://track.${rig.name}/post`);
  rig.names['cdn.elsewhere.example'] = { CNAME: name };
  expect(recordOf(await rig.verify(domain))).toMatchObject({
    state: 'wrong',
    problem: `it leads to cdn.elsewhere.example; it should lead to ${HOST}`,
  });
});

test('links of another project with the same domain stay where they are', async () => {
  await rig.verified();
  rig.project = await rig.newProject();
  expect(await linksUrl(rig.name)).toBeUndefined();
});
