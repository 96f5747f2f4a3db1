import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { campaignBecomes, campaignEnds, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { readMail } from '../../support/sent-mail.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  const blocks = [{ type: 'text', text: 'Read [this](https://a.example/one) and [that](https://a.example/two).' }];
  must(await project.api.put('/templates/newsletter/content', { content: { blocks }, publish: true }), 200);
});

interface Arrived {
  readonly pixel: string;
  /** Those that are counted. */
  readonly links: readonly string[];
  readonly unsubscribe: string;
}

async function arrived(email: string): Promise<Arrived> {
  const [message] = await mailTo(email);
  const { pixel, links, unsubscribe } = await readMail(message!.raw);
  return { pixel: pixel!, links: links.filter((link) => link.includes('/t/c/')), unsubscribe: unsubscribe! };
}

const hit = (url: string, method = 'GET'): Promise<Response> =>
  fetch(url, { method, redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0 (a person)' } });

test('opens, clicks and unsubscribes count each recipient once, by variant, however many come at the same time', async () => {
  const { tag, emails } = await newAudience(project, 8);
  const variants = [
    { key: 'a', subject: 'A' },
    { key: 'b', subject: 'B' },
  ];
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, variants });
  await campaignEnds(project, id);
  await checkCampaign(em, project, id, emails);
  const mails = await Promise.all(emails.map(arrived));
  // A click within two seconds of the submission is no person's.
  await campaignBecomes(project, id, ({ sent_at }) => Date.now() - Date.parse(sent_at) > 2_500);
  await Promise.all(mails.slice(0, 5).flatMap(({ pixel }) => [1, 2, 3].map(() => hit(pixel))));
  await Promise.all(mails.slice(0, 3).flatMap(({ links }) => [...links, ...links].map((link) => hit(link))));
  await Promise.all(mails.slice(0, 2).flatMap(({ unsubscribe }) => [hit(unsubscribe, 'POST'), hit(unsubscribe, 'POST')]));
  const record = await campaignBecomes(project, id, ({ opened_count, clicked_count }) => opened_count >= 5 && clicked_count >= 3);
  expect(record).toMatchObject({ opened_count: 5, clicked_count: 3, unsubscribed_count: 2 });
  const sum = (counter: string): number =>
    record.variants.reduce((total: number, variant: Record<string, number>) => total + (variant[counter] ?? 0), 0);
  for (const counter of ['sent_count', 'opened_count', 'clicked_count', 'unsubscribed_count']) expect(sum(counter)).toBe(record[counter]);
});

test('an open that comes before the row of its mail is written still counts', async () => {
  const { tag, emails } = await newAudience(project, 1);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await hit((await arrived(emails[0] as string)).pixel);
  await campaignBecomes(project, id, ({ opened_count }) => opened_count === 1);
});
