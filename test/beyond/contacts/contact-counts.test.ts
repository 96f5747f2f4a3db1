import { expect, test } from 'vitest';
import { sumUpContactCounts } from '../../../db/queries/contacts/contact-list.ts';
import { database, newProject } from '../../support/project.ts';

test('totalCount stays exact under concurrent upserts, moves between statuses and summing up', async () => {
  const project = await newProject();
  const em = await database();
  const emails = Array.from({ length: 40 }, (_, index) => project.address(`n${index}`));
  await Promise.all([
    ...[0, 1, 2, 3].map((part) =>
      project.api.post(
        '/contacts',
        emails.slice(part * 10, part * 10 + 20).map((email) => ({ email })),
      ),
    ),
    ...emails.slice(0, 10).map((email) => project.api.post('/contacts', { email, status: 'unsubscribed' })),
    sumUpContactCounts(em),
  ]);
  await sumUpContactCounts(em);
  const totalOf = async (query: string): Promise<number> => (await project.api.get(`/contacts?limit=1${query}`)).body.totalCount;
  const counted = async (status: string): Promise<number> =>
    (await project.api.get(`/contacts?limit=250&status=${status}`)).body.contacts.length;
  expect(await totalOf('')).toBe(40);
  for (const status of ['subscribed', 'unsubscribed']) expect(await totalOf(`&status=${status}`)).toBe(await counted(status));
});
