import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { row } from '../../../db/rows.ts';
import { CONTACT_STATUSES, type ContactStatus } from '../../../domain/contacts/contact.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

// biome-ignore lint/suspicious/noExplicitAny: records are compared field by field
type Contact = any;

async function upsert(body: object, on = project): Promise<Contact> {
  return must(await on.api.post('/contacts', body), 200).contacts[0];
}

async function refused(body: unknown, on = project): Promise<{ code: string; issues?: { path: string; message: string }[] }> {
  return must(await on.api.post('/contacts', body), 422);
}

async function stored(id: string, on = project): Promise<Contact> {
  return must(await on.api.get(`/contacts/${id}`), 200).contact;
}

describe('creating', () => {
  test('only the email is needed; everything else has its default', async () => {
    const email = project.address();
    const { id, created_at, updated_at, ...rest } = await upsert({ email: `  ${email.toUpperCase()} ` });
    expect(rest).toEqual({
      email,
      first_name: null,
      last_name: null,
      display_name: null,
      status: 'subscribed',
      brand_id: project.slug,
      source: 'api',
      tags: [],
      timezone: null,
      locale: null,
      attributes: {},
      topics: {},
    });
    expect(updated_at).toBe(created_at);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('every field is taken, and consent is seeded from the source and the calling request', async () => {
    const email = project.address();
    const { body } = await project.api.post(
      '/contacts',
      {
        ...{ email, firstName: 'Ann', lastName: 'Lee', displayName: 'Ann L.', source: 'landing', status: 'pending' },
        ...{ tags: ['a', 'b'], timezone: 'Europe/Berlin', locale: 'de-CH', attributes: { plan: 'pro', seats: 3 } },
      },
      { headers: { 'user-agent': 'tester/1' } },
    );
    const contact = await stored(body.contacts[0].id);
    expect(contact).toMatchObject({
      ...{ email, first_name: 'Ann', last_name: 'Lee', display_name: 'Ann L.', source: 'landing', status: 'pending' },
      ...{ tags: ['a', 'b'], timezone: 'Europe/Berlin', locale: 'de-CH', attributes: { plan: 'pro', seats: 3 } },
      ...{ consent_source: 'landing', consent_ip: '127.0.0.1', consent_user_agent: 'tester/1', consent_at: contact.created_at },
    });
    expect(Object.keys(body.contacts[0]).filter((name) => name.startsWith('consent'))).toEqual([]);
  });

  test('an id is honored on insert only; one that is taken is refused', async () => {
    const id = randomUUID();
    const email = project.address();
    expect((await upsert({ email, id: id.toUpperCase() })).id).toBe(id);
    expect((await upsert({ email, id: randomUUID() })).id).toBe(id);
    expect(await refused({ email: project.address(), id })).toMatchObject({ code: 'invalid_request', issues: [{ path: 'id' }] });
    const twice = [project.address(), project.address()].map((address) => ({ email: address, id: randomUUID() }));
    expect((await refused([twice[0], { ...twice[1], id: twice[0]!.id }])).code).toBe('invalid_request');
    expect((await refused({ email: project.address(), id: 'mine' })).issues).toEqual([{ path: 'id', message: 'not a UUID' }]);
  });

  test('an id that is taken is told at its place in a list of which the others have none', async () => {
    const { id } = await upsert({ email: project.address() });
    const [first, second, third] = [project.address(), project.address(), project.address()];
    const taken = [{ path: 'contacts[1].id', message: 'this id is already taken' }];
    expect(await refused([{ email: first }, { email: second, id }])).toMatchObject({ code: 'invalid_request', issues: taken });
    const repeated = randomUUID();
    const twice = [{ email: first }, { email: second, id: repeated }, { email: third, id: repeated }];
    expect(await refused(twice)).toMatchObject({ issues: [...taken, { path: 'contacts[2].id' }] });
  });

  test('an id that another call takes at the same time is told as taken', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    const inputs = [
      { email: project.address(), id: other },
      { email: project.address(), id },
    ];
    const { refusing } = await (await database()).transactional(async (tx) => {
      await row(
        tx,
        sql`insert into contacts (id, project_id, email, status, brand_id)
                        values (${id}, ${project.id}, ${project.address()}, 'subscribed', ${project.slug})`,
      );
      const refusal = refused(inputs);
      await untilBlocked(tx);
      return { refusing: refusal };
    });
    expect(await refusing).toMatchObject({ code: 'invalid_request', issues: [{ message: expect.stringContaining('already taken') }] });
    expect((await project.api.get(`/contacts/${other}`)).status).toBe(404);
  });

  test('a new contact gets the brand it is given, an existing one keeps its own, an unknown brand is refused', async () => {
    await setBrand(await database(), project.id, 'second', {}, false);
    const email = project.address();
    expect((await upsert({ email, brand: 'second' })).brand_id).toBe('second');
    expect((await upsert({ email, brand: project.slug })).brand_id).toBe('second');
    expect(await refused([{ email }, { email: project.address(), brand: 'none' }])).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'contacts[1].brand', message: 'no such brand' }],
    });
  });

  test('without a brand nothing can be created', async () => {
    const bare = await newProject({ noBrand: true });
    expect((await refused({ email: bare.address() }, bare)).code).toBe('no_brand');
  });
});

describe('changing', () => {
  test('only sent fields are written; null clears names; tags are replaced; attributes merge', async () => {
    const email = project.address();
    await upsert({
      email,
      firstName: 'Ann',
      lastName: 'Lee',
      tags: ['a', 'b'],
      attributes: { keep: 1, drop: 2, deep: { a: 1 } },
      timezone: 'UTC',
    });
    expect(await upsert({ email })).toMatchObject({ first_name: 'Ann', last_name: 'Lee', tags: ['a', 'b'], timezone: 'UTC' });
    const changed = await upsert({ email, firstName: null, tags: ['c', 'a', 'c'], attributes: { drop: null, deep: { b: 2 } } });
    expect(changed).toMatchObject({ first_name: null, last_name: 'Lee', tags: ['c', 'a'] });
    expect(changed.attributes).toEqual({ keep: 1, deep: { b: 2 } });
    expect((await upsert({ email, tags: [], timezone: null })).tags).toEqual([]);
  });

  test('consent changes only through a consent object, member by member', async () => {
    const email = project.address();
    const { id } = await upsert({ email, source: 'form' });
    const before = await stored(id);
    await upsert({ email, source: 'import' });
    expect(await stored(id)).toMatchObject({ source: 'import', consent_source: 'form', consent_at: before.consent_at });
    await upsert({ email, consent: { ip: '203.0.113.9' } });
    const after = await stored(id);
    expect(after).toMatchObject({ consent_source: 'form', consent_ip: '203.0.113.9', consent_user_agent: before.consent_user_agent });
    expect(Date.parse(after.consent_at)).toBeGreaterThan(Date.parse(before.consent_at));
  });

  test('limits of tags, attributes, time zones and locales', async () => {
    const email = project.address();
    const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
    await upsert({ email, tags: many(100), attributes: Object.fromEntries(many(100).map((key) => [key, 1])) });
    await upsert({ email, tags: [...many(50), ...many(50)] });
    for (const [field, value] of [
      ['tags', many(101)],
      ['tags', [...many(100), 't0']],
      ['tags', ['x'.repeat(65)]],
      ['tags', ['']],
      ['attributes', { more: 1 }],
      ['attributes', []],
      ['attributes', { t0: 'x'.repeat(16 * 1024) }],
      ['timezone', 'Mars/Olympus'],
      ['timezone', '+02:00'],
      ['locale', 'not a locale'],
      ['locale', 'de_CH'],
      ['status', 'gone'],
      ['firstName', 'x'.repeat(201)],
      ['resubscribe', 'true'],
    ] as const) {
      const { code, issues } = await refused({ email, [field]: value });
      expect({ field, code, at: issues?.[0]?.path.startsWith(field) }).toEqual({ field, code: 'invalid_request', at: true });
    }
    // A key that goes makes room for one that comes.
    expect(Object.keys((await upsert({ email, attributes: { t0: null, more: 1 } })).attributes)).toHaveLength(100);
  });

  test('addresses that are none are refused', async () => {
    const label = 'a'.repeat(60);
    const long = `${'l'.repeat(64)}@${label}.${label}.${label}.example`;
    for (const email of [
      '',
      'a',
      'a@b',
      '@b.example',
      'a@@b.example',
      'a b@c.example',
      'Ann <a@b.example>',
      '"q"@b.example',
      'a@b..example',
      `${'l'.repeat(65)}@b.example`,
      long,
      7,
      null,
    ]) {
      expect((await refused({ email })).issues).toEqual([{ path: 'email', message: 'not a valid address' }]);
    }
  });
});

describe('status', () => {
  const rule = (from: ContactStatus, sent: ContactStatus | undefined, resubscribe: boolean): ContactStatus => {
    if (sent === undefined) return from;
    const leaves = ['unsubscribed', 'bounced'].includes(from) && ['subscribed', 'pending'].includes(sent);
    return leaves && !resubscribe ? from : sent;
  };

  test.each(CONTACT_STATUSES)('from %s, every status sent, with and without resubscribe', async (from) => {
    for (const sent of [undefined, ...CONTACT_STATUSES]) {
      for (const resubscribe of [undefined, false, true]) {
        const email = project.address();
        expect((await upsert({ email, status: from })).status).toBe(from);
        const { status, first_name } = await upsert({ email, status: sent, resubscribe, firstName: 'Written' });
        expect({ sent, resubscribe, status, first_name }).toEqual({
          ...{ sent, resubscribe, first_name: 'Written' },
          status: rule(from, sent, resubscribe === true),
        });
      }
    }
  });

  test('unsubscribing answers the same twice and changes the row once', async () => {
    const { id } = await upsert({ email: project.address() });
    const first = await project.api.post(`/contacts/${id}/unsubscribe`);
    expect([first.status, first.body]).toEqual([200, { ok: true, id, status: 'unsubscribed' }]);
    const { updated_at } = await stored(id);
    expect((await project.api.post(`/contacts/${id.toUpperCase()}/unsubscribe`)).body).toEqual(first.body);
    expect(await stored(id)).toMatchObject({ status: 'unsubscribed', updated_at });
    expect((await project.api.post(`/contacts/${randomUUID()}/unsubscribe`)).status).toBe(404);
  });
});

describe('arrays', () => {
  test('an empty array and more than 1000 are refused; 1000 are taken', async () => {
    const contacts = (count: number) => Array.from({ length: count }, () => ({ email: project.address('bulk') }));
    expect((await refused([])).code).toBe('invalid_request');
    expect((await refused(contacts(1001))).code).toBe('invalid_request');
    const sent = contacts(1000);
    const { contacts: answered } = must(await project.api.post('/contacts', sent), 200);
    expect(answered.map(({ email }: Contact) => email)).toEqual(sent.map(({ email }) => email));
  });

  test('the same email twice is applied in order, and both places show the final contact', async () => {
    const [email, existing] = [project.address(), project.address()];
    await upsert({ email: existing, tags: ['old'] });
    const { contacts } = must(
      await project.api.post('/contacts', [
        { email, firstName: 'First', tags: ['a'], attributes: { x: 1, y: 1 } },
        { email: existing, tags: ['new'], status: 'unsubscribed' },
        { email: email.toUpperCase(), lastName: 'Last', attributes: { x: null } },
        { email: existing, status: 'subscribed', firstName: 'Still' },
      ]),
      200,
    );
    expect(contacts[0]).toMatchObject({ first_name: 'First', last_name: 'Last', tags: ['a'], attributes: { y: 1 } });
    expect(contacts[2]).toEqual(contacts[0]);
    expect(contacts[1]).toMatchObject({ status: 'unsubscribed', first_name: 'Still', tags: ['new'] });
    expect(contacts[3]).toEqual(contacts[1]);
  });

  test('an array is all or nothing', async () => {
    const [fresh, existing] = [project.address(), project.address()];
    const { id } = await upsert({ email: existing, firstName: 'Before' });
    const tooLarge = { a: 'x'.repeat(16 * 1024) };
    for (const bad of [
      { email: 'none' },
      { email: project.address(), brand: 'none' },
      { email: project.address(), attributes: tooLarge },
      { email: project.address(), id },
    ]) {
      await refused([{ email: fresh }, { email: existing, firstName: 'After' }, bad]);
    }
    expect((await stored(id)).first_name).toBe('Before');
    expect((await project.api.get(`/contacts?q=${fresh}`)).body.totalCount).toBe(0);
  });
});

describe('reading', () => {
  test('an unknown id is 404', async () => {
    const { status, body } = await project.api.get(`/contacts/${randomUUID()}`);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});
