import { beforeAll, describe, expect, test } from 'vitest';
import { newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

const PAGE = 3;
const COUNT = 8;

let project: TestProject;
/** Newest first. */
let emails: string[];

beforeAll(async () => {
  project = await newProject();
  // One call, so that they share an instant and only the id tells their order.
  const [older, newer] = [0, 1].map(() =>
    Array.from({ length: COUNT / 2 }, (_, index) => ({ email: project.address(`c${index}`), tags: [`t${index % 2}`] })),
  );
  const created = [];
  for (const body of [older, newer]) created.push(...must(await project.api.post('/contacts', body), 200).contacts);
  emails = created
    .sort((a, b) => (a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1))
    .map(({ email }) => email);
});

interface Page {
  readonly emails: string[];
  readonly totalCount: number;
  readonly nextCursor: string | null;
  readonly previousCursor: string | null;
}

async function page(query: Readonly<Record<string, string | undefined>> = {}, on = project): Promise<Page> {
  const given = Object.entries({ limit: String(PAGE), ...query }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { contacts, ...rest } = must(await on.api.get(`/contacts?${new URLSearchParams(given)}`), 200);
  return { ...rest, emails: contacts.map(({ email }: { email: string }) => email) };
}

async function code(query: Readonly<Record<string, string>>, on = project): Promise<[number, string]> {
  const { status, body } = await on.api.get(`/contacts?${new URLSearchParams(query)}`);
  return [status, body.code];
}

describe('paging', () => {
  test('three pages down and the same three up again, newest first in both directions', async () => {
    const first = await page();
    const second = await page({ cursor: first.nextCursor! });
    const third = await page({ cursor: second.nextCursor! });
    expect([first.emails, second.emails, third.emails]).toEqual([emails.slice(0, 3), emails.slice(3, 6), emails.slice(6)]);
    expect([first.previousCursor, third.nextCursor]).toEqual([null, null]);
    const up = await page({ cursor: third.previousCursor!, direction: 'previous' });
    const top = await page({ cursor: up.previousCursor!, direction: 'previous' });
    expect([up.emails, top.emails, top.previousCursor]).toEqual([second.emails, first.emails, null]);
    expect((await page({ cursor: top.nextCursor! })).emails).toEqual(second.emails);
    for (const { totalCount } of [first, second, third, up, top]) expect(totalCount).toBe(COUNT);
  });

  test('a page that ends exactly at the end has no next cursor', async () => {
    const all = await page({ limit: String(COUNT) });
    expect([all.emails.length, all.nextCursor, all.previousCursor]).toEqual([COUNT, null, null]);
  });

  test('rows that come meanwhile are newer than the cursor and move nothing', async () => {
    const growing = await newProject();
    const add = async () => must(await growing.api.post('/contacts', { email: growing.address() }), 200).contacts[0].email as string;
    const [a, b] = [await add(), await add()];
    const first = await page({ limit: '1' }, growing);
    expect(first.emails).toEqual([b]);
    const c = await add();
    const second = await page({ limit: '1', cursor: first.nextCursor! }, growing);
    expect(second.emails).toEqual([a]);
    const back = await page({ limit: '5', cursor: second.previousCursor!, direction: 'previous' }, growing);
    expect(back.emails).toEqual([c, b]);
  });

  test('a cursor that was tampered with, or is used with other filters or by another project, is refused', async () => {
    const cursor = (await page({ tag: 't0', limit: '1' })).nextCursor!;
    expect((await page({ tag: 't0', cursor, limit: '2' })).emails).toHaveLength(2);
    const [place = '', signature = ''] = cursor.split('.');
    const moved = `${Buffer.from(`0.${Buffer.from(place, 'base64url').toString().split('.')[1]}`).toString('base64url')}.${signature}`;
    for (const bad of ['', 'x', `${cursor}x`, `${cursor}.`, cursor.slice(1), moved, `${place}.`]) {
      expect([bad, await code({ tag: 't0', cursor: bad })]).toEqual([bad, [422, 'invalid_cursor']]);
    }
    expect(await code({ cursor })).toEqual([422, 'invalid_cursor']);
    expect(await code({ tag: 't1', cursor })).toEqual([422, 'invalid_cursor']);
    expect(await code({ tag: 't0', q: 'c', cursor })).toEqual([422, 'invalid_cursor']);
    const other = await newProject();
    expect(await code({ tag: 't0', cursor }, other)).toEqual([422, 'invalid_cursor']);
    const { status, body } = await project.api.get(`/sends?cursor=${encodeURIComponent(cursor)}`);
    expect([status, body.code]).toEqual([422, 'invalid_cursor']);
  });
});

describe('filters', () => {
  let people: TestProject;
  let byName: Record<string, string>;

  beforeAll(async () => {
    people = await newProject();
    byName = {
      percent: people.address('a%b'),
      underscore: people.address('a_b'),
      plain: people.address('axb'),
      named: people.address('zoe'),
    };
    must(
      await people.api.post('/contacts', [
        { email: byName.percent, tags: ['vip'] },
        { email: byName.underscore, status: 'unsubscribed', tags: ['vip', 'new'] },
        { email: byName.plain, status: 'bounced', lastName: 'Back\\slash' },
        { email: byName.named, firstName: 'Łucja', displayName: 'The Émigré' },
      ]),
      200,
    );
  });

  const found = async (query: Readonly<Record<string, string>>) => {
    const { emails: matching, totalCount } = await page({ limit: undefined, ...query }, people);
    expect(totalCount).toBe(matching.length);
    return matching.map((email) => Object.keys(byName).find((name) => byName[name] === email)).sort();
  };

  test('with counts=kept a search is not counted where that takes time, and all that is counted anyway is', async () => {
    const totalOf = async (query: string): Promise<unknown> => must(await people.api.get(`/contacts?${query}`), 200).totalCount;
    expect(await totalOf('limit=1&q=a&counts=kept')).toBe(null);
    expect(await totalOf('limit=1&q=a')).toBe(4);
    expect(await totalOf('limit=1&counts=kept')).toBe(4);
    expect(await totalOf('limit=1&tag=vip&counts=kept')).toBe(2);
    expect(await totalOf('limit=1&q=nobody&counts=kept')).toBe(0);
  });

  test('q is a part of the email or a name, whatever the case, and % and _ are themselves', async () => {
    expect(await found({ q: 'a%b' })).toEqual(['percent']);
    expect(await found({ q: 'A_B' })).toEqual(['underscore']);
    expect(await found({ q: 'AXB-' })).toEqual(['plain']);
    expect(await found({ q: '\\' })).toEqual(['plain']);
    expect(await found({ q: 'łuc' })).toEqual(['named']);
    expect(await found({ q: 'émig' })).toEqual(['named']);
    expect(await found({ q: people.domain.toUpperCase() })).toHaveLength(4);
    expect(await found({ q: 'nobody-like-this' })).toEqual([]);
  });

  test('status and tag narrow, together', async () => {
    expect(await found({ tag: 'vip' })).toEqual(['percent', 'underscore']);
    expect(await found({ status: 'bounced' })).toEqual(['plain']);
    expect(await found({ status: 'unsubscribed', tag: 'vip' })).toEqual(['underscore']);
    expect(await found({ status: 'bounced', tag: 'vip' })).toEqual([]);
    expect(await found({ tag: 'VIP' })).toEqual([]);
  });

  test('an unknown status is refused', async () => {
    expect(await code({ status: 'gone' }, people)).toEqual([422, 'invalid_request']);
  });
});
