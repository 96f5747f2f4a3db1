import { beforeAll, describe, expect, test } from 'vitest';
import { fork } from '../../domain/sequences/graphs.ts';
import { campaignEnds } from '../../support/campaigns.ts';
import { newFlow } from '../../support/flow.ts';
import { report } from '../../support/inbound.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';

let project: TestProject;
/** By the beginning of the address. */
let ids: Record<string, string>;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  const people = [
    { email: 'ann@x.example', firstName: 'Ann', tags: ['vip'], attributes: { plan: 'pro', seats: 3 } },
    { email: 'bob@x.example', tags: ['vip'], attributes: { plan: 'free' } },
    { email: 'cem@x.example', attributes: { plan: 'pro', since: '2026-01-01' } },
    { email: 'dee@x.example', status: 'unsubscribed' },
  ];
  ids = {};
  for (const person of people) ids[person.email.slice(0, 3)] = await newContact(project, person.email, person);
  must(await project.api.post('/events', { type: 'bought', email: 'ann@x.example' }), 200);
  must(await project.api.post('/events', { type: 'bought', email: 'cem@x.example' }), 200);
  must(await project.api.post('/events', { type: 'bought', email: 'cem@x.example' }), 200);
  const { id: providerId } = must(await project.api.post('/send', { template: 'newsletter', contactId: ids.bob }), 200);
  must(await report(project, { type: 'opened', providerId }), 200);
});

let labels = 0;
const create = async (filter: object, on = project) =>
  must(await on.api.post('/segments', { label: `Members ${++labels}`, filter }), 201).segment;
const namesOf = (contacts: { email: string }[]) => contacts.map(({ email }) => email.slice(0, 3)).join(' ');
const plan = (value: string) => ({ field: 'attributes.plan', op: 'eq', value });

const WHERE = [
  [plan('pro'), 'cem ann'],
  [{ not: plan('pro') }, 'dee bob'],
  [{ all: [plan('pro'), { field: 'attributes.seats', op: 'gte', value: 3 }] }, 'ann'],
  [{ any: [plan('free'), { field: 'contact.first_name', op: 'exists' }] }, 'bob ann'],
  [{ field: 'attributes.since', op: 'eq', value: '2026-01-01T00:00:00Z' }, 'cem'],
  [{ field: 'contact.tags', op: 'contains', value: 'vip' }, 'bob ann'],
  [{ field: 'contact.email', op: 'eq', value: ' DEE@X.example' }, 'dee'],
  [{ event: { type: 'bought' } }, 'cem ann'],
  [{ event: { type: 'bought', atLeast: 2, withinHours: 1 } }, 'cem'],
  [{ email: { event: 'opened' } }, 'bob'],
  [{ not: { email: { template: 'newsletter', event: 'sent' } } }, 'dee cem ann'],
] as const;

describe('a condition says who is in a segment', () => {
  test.each(WHERE)('%j: %s', async (where, expected) => {
    const { id, count, filter } = await create({ where });
    expect([filter, count]).toEqual([{ where }, expected.split(' ').length]);
    const { contacts, nextCursor } = must(await project.api.get(`/segments/${id}/contacts`), 200);
    expect([namesOf(contacts), nextCursor]).toEqual([expected, null]);
    expect(must(await project.api.get(`/segments/${id}`), 200).segment.count).toBe(count);
    const { ok, ...preview } = must(await project.api.post('/segments/preview', { filter: { where } }), 200);
    expect(preview).toEqual({ count, mailable: null, sample: contacts });
  });

  test('and its list is narrowed by status, tag and a part of the address or name, together and page by page', async () => {
    const { id } = await create({ where: { any: [plan('pro'), plan('free')] } });
    const list = async (query: string) => must(await project.api.get(`/segments/${id}/contacts?${query}`), 200);
    for (const [query, expected] of [
      ['tag=vip', 'bob ann'],
      ['q=ANN', 'ann'],
      ['q=dee', ''],
      ['q=x.example&tag=vip&status=subscribed', 'bob ann'],
      ['status=unsubscribed', ''],
    ] as const) {
      expect([query, namesOf((await list(query)).contacts)]).toEqual([query, expected]);
    }
    const { contacts, nextCursor } = await list('q=example&tag=vip&limit=1');
    const cursor = encodeURIComponent(nextCursor);
    const rest = await list(`q=example&tag=vip&limit=1&cursor=${cursor}`);
    expect([namesOf(contacts), namesOf(rest.contacts), rest.nextCursor]).toEqual(['bob', 'ann', null]);
    const other = await project.api.get(`/segments/${id}/contacts?limit=1&cursor=${cursor}`);
    expect([other.status, other.body.code]).toEqual([422, 'invalid_cursor']);
  });

  test('beside tags, source and status, which must hold too; the list counts each as the segment itself', async () => {
    const { id, count } = await create({ where: plan('pro'), tags: ['vip'], status: 'subscribed' });
    expect(count).toBe(1);
    const { segments } = must(await project.api.get('/segments'), 200);
    expect(segments.length).toBeGreaterThan(WHERE.length);
    for (const segment of segments) {
      expect([segment.id, segment.count]).toEqual([segment.id, must(await project.api.get(`/segments/${segment.id}`), 200).segment.count]);
    }
    expect(segments).toContainEqual(expect.objectContaining({ id, count: 1 }));
  });

  test('to campaigns and to branches as well', async () => {
    const { id, label } = await create({ where: { any: [{ event: { type: 'bought' } }, plan('free')] } });
    const { campaignId, audienceSize, enrolled } = must(
      await project.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'segment', segmentId: id } }),
      201,
    );
    expect([audienceSize, enrolled]).toEqual([3, 3]);
    expect(await campaignEnds(project, campaignId)).toMatchObject({ sent_count: 3 });
    const flow = await newFlow(
      project,
      fork({ id: 'b', kind: 'branch', config: { when: { segment: label.toUpperCase() } } }, ['true', 'false']),
    );
    const wayOf = async (body: object) => (await flow.simulate(body)).at(-1);
    expect(await wayOf({ contactId: ids.ann })).toBe('to_true');
    expect(await wayOf({ contact: { attributes: { plan: 'free' } } })).toBe('to_true');
    expect(await wayOf({ contact: { attributes: { plan: 'pro' } } })).toBe('to_false');
    // What other leaves of the same condition ask does not get mixed up with what the segment asks.
    const mixed = { all: [{ event: { type: 'never' } }, { segment: label }] };
    const both = await newFlow(project, fork({ id: 'b', kind: 'branch', config: { when: mixed } }, ['true', 'false']));
    expect((await both.simulate({ contactId: ids.cem })).at(-1)).toBe('to_false');
  });

  test.each([
    [{ where: { segment: 'Another' } }, 'filter.where.segment'],
    [{ where: { not: { any: [plan('pro'), { field: 'event.total', op: 'gt', value: 1 }] } } }, 'filter.where.not.any[1].field'],
    [{ where: { field: 'contact.plan', op: 'eq', value: 'pro' } }, 'filter.where.field'],
    [{ where: { fields: 'contact.email' } }, 'filter.where'],
    [{ where: { all: [] } }, 'filter.where.all'],
    [{ where: { field: 'attributes.x', op: 'in', value: Array(1001).fill('a') } }, 'filter.where.value'],
    [{ where: plan('x'.repeat(64 * 1024)) }, 'filter.where'],
    [{ were: plan('pro') }, 'filter.were'],
  ])('%j is refused', async (filter, path) => {
    for (const url of ['/segments', '/segments/preview']) {
      const { status, body } = await project.api.post(url, { label: 'Refused', filter });
      expect([status, body.code, body.issues[0].path]).toEqual([422, 'invalid_request', path]);
    }
  });
});

test('pages go through all members once, newest first, and the cursor holds for this segment only', async () => {
  const own = await newProject();
  const people = Array.from({ length: 30 }, (_, n) => ({ email: own.address(`n${n}`), attributes: { even: n % 2 === 0 } }));
  for (const person of people) await newContact(own, person.email, person);
  const segment = await create({ where: { field: 'attributes.even', op: 'eq', value: true } }, own);
  const other = await create({}, own);
  const seen: string[] = [];
  let cursor: string | null = '';
  do {
    const url: string = `/segments/${segment.id}/contacts?limit=4${cursor ? `&cursor=${cursor}` : ''}`;
    const page = must(await own.api.get(url), 200);
    seen.push(...page.contacts.map(({ email }: { email: string }) => email));
    cursor = page.nextCursor;
    if (cursor) expect((await own.api.get(`/segments/${other.id}/contacts?cursor=${cursor}`)).body.code).toBe('invalid_cursor');
  } while (cursor);
  const even = people.flatMap(({ email, attributes }) => (attributes.even ? [email] : []));
  expect(seen).toEqual(even.toReversed());
});

test('a preview counts those who would get a campaign where it is asked to', async () => {
  const project = await newProject();
  const emailed = ['ada', 'ben', 'cleo', 'dora'].map((name) => project.address(name));
  const people = emailed.map((email, at) => ({ email, tags: ['vip'], ...(at === 1 ? { status: 'unsubscribed' } : {}) }));
  must(await project.api.post('/contacts', people), 200);
  must(await project.api.post('/suppressions', { email: emailed[2], reason: 'manual' }), 201);
  const counted = async (filter: object) => must(await project.api.post('/segments/preview', { filter, mailable: true }), 200);
  expect(await counted({ tags: ['vip'] })).toMatchObject({ count: 4, mailable: 2 });
  expect(await counted({})).toMatchObject({ count: 4, mailable: 2 });
  expect(await counted({ status: 'unsubscribed' })).toMatchObject({ count: 1, mailable: 0 });
});

test('members and previews need contacts:read, and are those of the project', async () => {
  const { id } = await create({});
  const writer = await project.newKey(['contacts:write', 'sends:read']);
  const calls = [writer.api.get(`/segments/${id}/contacts`), writer.api.post('/segments/preview', {})];
  for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const other = await newProject();
  expect(await other.api.get(`/segments/${id}/contacts`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(must(await other.api.post('/segments/preview', {}), 200)).toMatchObject({ count: 0, sample: [] });
  expect(await project.api.post('/segments/preview', { brand: 'nobody' })).toMatchObject({
    status: 422,
    body: { code: 'invalid_request' },
  });
});

test('each of many segments with conditions has its own count in the list', async () => {
  const own = await newProject();
  for (let n = 0; n < 20; n++) await create({ where: { field: 'attributes.n', op: 'eq', value: n } }, own);
  for (let n = 0; n < 20; n++) await newContact(own, own.address(), { attributes: { n: n % 7 } });
  const { segments } = must(await own.api.get('/segments'), 200);
  expect(segments.map(({ count }: { count: number }) => count).toReversed()).toEqual([3, 3, 3, 3, 3, 3, 2, ...Array(13).fill(0)]);
});
