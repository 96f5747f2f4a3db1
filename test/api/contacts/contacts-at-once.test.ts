import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must, newContact } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const attributesOf = async (id: string) => must(await project.api.get(`/contacts/${id}`), 200).contact.attributes;

test('two calls that change one contact at once both count', async () => {
  const email = project.address();
  const id = await newContact(project, email);
  const em = await database();
  const calls = await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from contacts where id = ${id} for update`);
    const both = [newContact(project, email, { attributes: { first: 1 } }), newContact(project, email, { attributes: { second: 2 } })];
    await untilBlocked(tx, 2);
    return both;
  });
  await Promise.all(calls);
  expect(await attributesOf(id)).toEqual({ first: 1, second: 2 });
});

describe('at the same time', () => {
  test('fifty calls with one new email make one contact', async () => {
    const email = project.address();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => project.api.post('/contacts', { email, attributes: { [`k${index}`]: index } })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => body.contacts[0].id)).size).toBe(1);
    expect(Object.keys(await attributesOf(replies[0]!.body.contacts[0].id))).toHaveLength(50);
  });

  test('arrays of a thousand that overlap in opposite orders do not wait for each other forever', async () => {
    const emails = Array.from({ length: 1500 }, () => project.address('overlap'));
    const half = emails.slice(0, 300).map((email) => ({ email }));
    must(await project.api.post('/contacts', half), 200);
    const up = emails.slice(0, 1000).map((email) => ({ email, tags: ['up'] }));
    const down = emails
      .slice(500)
      .reverse()
      .map((email) => ({ email, tags: ['down'] }));
    const mixed = emails.slice(250, 1250).map((email) => ({ email, firstName: 'Mixed' }));
    const replies = await Promise.all(
      [up, down, mixed, up.toReversed(), down.toReversed()].map((body) => project.api.post('/contacts', body)),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await project.api.get(`/contacts?q=${encodeURIComponent('overlap-')}&limit=1`)).body.totalCount).toBe(1500);
  });
});
