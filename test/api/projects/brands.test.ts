import { beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { MOST_BRANDS } from '../../../domain/projects/brand.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { must } from '../../support/sequences.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

function brandsOf(of: TestProject) {
  return of.api.get('/brands').then((answer) => must(answer, 200).brands);
}

describe('PUT /brands/:slug', () => {
  test('makes a brand, changes what is given and keeps the rest; null clears', async () => {
    const from = { email: `north@${project.domain}`, name: 'North' };
    const given = { name: 'North', color: '#1A73E8', website: 'https://north.example', address: '1 Street\nTown', replyTo: 'a@b.example' };
    const { brand } = must(await project.api.put('/brands/north', { ...given, from }), 200);
    expect(brand).toEqual({
      ...{ slug: 'north', name: 'North', from_email: from.email, from_name: 'North', reply_to: 'a@b.example' },
      ...{ color: '#1a73e8', website: 'https://north.example/', address: '1 Street\nTown', logo_url: null },
      ...{ is_default: false, is_verified: true, track_transactional: false },
      ...{ double_opt_in: false, confirm_template: null, confirm_reminders: [], confirm_prune_days: 30 },
    });
    const changed = must(await project.api.put('/brands/north', { replyTo: null, name: null, trackTransactional: true }), 200).brand;
    expect(changed).toEqual({ ...brand, reply_to: null, track_transactional: true });
    expect(await brandsOf(project)).toContainEqual(changed);
  });

  test('makes one brand the default in place of another, and the first of a project by itself', async () => {
    const own = await newProject({ noBrand: true });
    must(await own.api.put('/brands/one', {}), 200);
    must(await own.api.put('/brands/two', {}), 200);
    const defaults = async () => (await brandsOf(own)).filter((one: { is_default: boolean }) => one.is_default).map(slug);
    const slug = (one: { slug: string }) => one.slug;
    expect(await defaults()).toEqual(['one']);
    must(await own.api.put('/brands/two', { isDefault: true }), 200);
    expect(await defaults()).toEqual(['two']);
  });

  test('takes no sender outside of the verified domains', async () => {
    const { status, body } = await project.api.put('/brands/north', { from: { email: 'ceo@bank.example' } });
    expect([status, body.code]).toEqual([422, 'invalid_from']);
    expect(body.error).toContain(project.domain);
    const { domains } = must(await project.api.get('/domains'), 200);
    expect(domains).toEqual([expect.objectContaining({ domain: project.domain, verified: true })]);
  });

  test('mails show the sender that the brand has now', async () => {
    const own = await newProject();
    must(await own.api.put(`/brands/${own.slug}`, { from: { email: `new@${own.domain}`, name: 'New Name' } }), 200);
    const { mail } = await sendMail(own, { to: own.address() });
    expect(mail.from).toMatchObject({ address: `new@${own.domain}`, name: 'New Name' });
  });

  test('refuses what no mail could show, each at its field', async () => {
    const wrong = {
      name: 'a\nb',
      color: 'red',
      logoUrl: 'javascript:alert(1)',
      website: 'nonsense',
      address: ' ',
      replyTo: 'x',
      isDefault: false,
    };
    const { status, body } = await project.api.put('/brands/north', wrong);
    expect([status, body.code]).toEqual([422, 'invalid_request']);
    expect(body.issues.map(({ path }: { path: string }) => path).sort()).toEqual(Object.keys(wrong).sort());
    expect((await project.api.put('/brands/No%20Slug', {})).status).toBe(404);
  });

  test('is for keys with brands:write, of their own project', async () => {
    const other = await newProject();
    const { api: by } = await other.newKey(['brands:write']);
    must(await by.put(`/brands/${project.slug}`, { name: 'Mine' }), 200);
    expect((await brandsOf(project)).map(({ name }: { name: string }) => name)).not.toContain('Mine');
    expect((await (await other.newKey(['templates:write', 'keys:write'])).api.put('/brands/x', {})).body.error).toContain('brands:write');
  });

  test(`stops at ${MOST_BRANDS} brands`, async () => {
    const own = await newProject();
    const em = await database();
    for (let count = 1; count < MOST_BRANDS; count++) await setBrand(em, own.id, `b${count}`, {}, false);
    expect((await own.api.put('/brands/one-more', {})).body.code).toBe('too_many_brands');
    must(await own.api.put('/brands/b1', { name: 'Still changed' }), 200);
  });
});
