import { afterAll, expect, test } from 'vitest';
import { BATCH_SIZE } from '../../domain/campaigns/campaign.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailTo, scriptMail } from '../support/mail.ts';
import { newProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

let everpost: Everpost | undefined;
afterAll(() => everpost?.stop());

test('a batch at a mail server that hangs is answered in time, mail by mail: what has not begun has no row, and goes when the batch is repeated', async () => {
  everpost = await startEverpost({ worker: false });
  const project = await newProject({ everpost });
  await enableTemplates(project, 'receipt');
  const addresses = Array.from({ length: 2.5 * BATCH_SIZE }, () => project.address());
  const everybody = `@to.${project.domain}`;
  const repeated = async (): Promise<readonly { readonly ok: boolean; readonly code: string; readonly retryAfterSeconds?: number }[]> => {
    const body = { mails: addresses.map((to) => ({ template: 'receipt', to })), idempotencyKey: 'hanging' };
    return must(await project.api.post('/send/batch', body), 200).results;
  };
  await scriptMail(everybody, { hold: true });
  const first = await repeated();
  await scriptMail(everybody, {});
  const left = [...addresses.keys()].filter((place) => first[place]?.code === 'unavailable');
  expect(left).toEqual([...addresses.keys()].slice(BATCH_SIZE));
  expect(left.map((place) => first[place]?.retryAfterSeconds)).toEqual(left.map(() => 5));
  // Those of the first portion have a row each, whether they were never answered or never got a connection.
  const { sends, nextCursor } = (await project.api.get('/sends?limit=250')).body;
  expect([sends.length, nextCursor]).toEqual([BATCH_SIZE, null]);
  const second = await repeated();
  expect(left.map((place) => second[place]?.ok)).toEqual(left.map(() => true));
  for (const place of left) expect(await mailTo(addresses[place] as string)).toHaveLength(1);
});
