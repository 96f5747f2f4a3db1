import { expect, test } from 'vitest';
import { sumUpReputation } from '../../../db/queries/sends/reputation.ts';
import { report } from '../../support/inbound.ts';
import { writeMails } from '../../support/mails-by-sender.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

const itemsOf = async ({ api }: Pick<TestProject, 'api'>) => must(await api.get('/attention'), 200).items;

test('a domain and a receiver are named from the limits on, with what is wrong, and no longer than a week', async () => {
  const watched = await newProject();
  await writeMails(watched, 999, { from: 'good.example', to: 'outlook.com', complained: 0, hard: 49 });
  // Of a week ago nothing is told any more.
  await writeMails(watched, 500, { from: 'old.example', to: 'web.de', complained: 400, hoursAgo: 168 });
  await writeMails(watched, 99, { from: 'few.example', to: 'icloud.com', complained: 99 });
  expect(await itemsOf(watched)).toEqual([]);
  await writeMails(watched, 1_000, { from: 'warned.example', to: 'gmail.com', complained: 1, hoursAgo: 166 });
  await writeMails(watched, 2_000, { from: 'bad.example', to: 'yahoo.com', complained: 6, hard: 100 });
  const since = expect.stringMatching(/:00:00\.000Z$/);
  const item = (kind: string, about: string, message: string) => ({ kind, about, count: null, since, message });
  const bad = '0.3 % were reported as spam (critical from 0.3 % on) and 5 % bounced (critical from 5 % on) in the last 7 days';
  const warned = '0.1 % were reported as spam (too many from 0.1 % on) in the last 7 days';
  const expected = [
    item('reputation_domain', 'bad.example', `of 2,000 emails from bad.example ${bad}`),
    item('reputation_domain', 'warned.example', `of 1,000 emails from warned.example ${warned}`),
    item('reputation_receiver', 'yahoo.com', `of 2,000 emails to yahoo.com ${bad}`),
    item('reputation_receiver', 'gmail.com', `of 1,000 emails to gmail.com ${warned}`),
  ];
  expect(await itemsOf(watched)).toEqual(expected);
  await sumUpReputation(await database());
  expect(await itemsOf(watched)).toEqual(expected);
  expect(await itemsOf(await newProject())).toEqual([]);
  // What the send log says is told to who reads it alone.
  expect(await itemsOf(await watched.newKey(['sends:read']))).toEqual(expected);
  expect(await itemsOf(await watched.newKey(['contacts:read']))).toEqual([]);
});

test('one complaint too many is named as soon as it is reported', async () => {
  const watched = await newProject();
  await enableTemplates(watched, 'receipt');
  await writeMails(watched, 99, { from: watched.domain, to: 'gmail.com' });
  const { id: providerId } = must(await watched.api.post('/send', { to: `${watched.slug}@gmail.com`, template: 'receipt' }), 200);
  expect(await itemsOf(watched)).toEqual([]);
  await report(watched, { type: 'complained', providerId });
  expect(await itemsOf(watched)).toEqual([
    expect.objectContaining({ kind: 'reputation_domain', about: watched.domain }),
    expect.objectContaining({ kind: 'reputation_receiver', about: 'gmail.com' }),
  ]);
});
