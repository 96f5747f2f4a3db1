import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailCount, mailNow, scriptMail } from '../support/mail.ts';
import { database, newProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const MAILS = 400;
/** Of the API to its mail server: no more are in flight at once. */
const CONNECTIONS = 50;

let everpost: Everpost | undefined;
afterAll(() => everpost?.stop());

interface Result {
  readonly ok: boolean;
  readonly id?: string;
  readonly code?: string;
  readonly reason?: string;
}

test('a batch whose API is killed in the middle is repeated under its key: each mail goes once, and only what was in flight may be unknown', async () => {
  everpost = await startEverpost({ worker: false });
  const project = await newProject({ everpost });
  await enableTemplates(project, 'receipt');
  const everybody = `@to.${project.domain}`;
  const addresses = Array.from({ length: MAILS }, () => project.address());
  const slow = addresses[0] as string;
  const body = { mails: addresses.map((to) => ({ template: 'receipt', to })), idempotencyKey: 'cut-off' };
  // So that mails are in flight at the kill; at any instant the one to this recipient.
  await scriptMail(everybody, { delayMs: 50 });
  await scriptMail(slow, { delayMs: 8_000 });
  const cutOff = project.api.post('/send/batch', body).then(
    () => 'answered',
    () => 'cut off',
  );
  await eventually(async () => (await mailCount(everybody)) >= MAILS / 4, { everyMs: 5 });
  await everpost.kill();
  expect(await cutOff).toBe('cut off');
  expect(await mailCount(everybody)).toBeLessThan(MAILS);
  await scriptMail(everybody, {});
  await scriptMail(slow, {});
  await everpost.start();

  // Of what the killed process had begun the outcome is open for a minute.
  const results = await eventually(
    async () => {
      const answered: Result[] = must(await project.api.post('/send/batch', body), 200).results;
      return answered.every(({ code }) => code !== 'idempotency_in_progress') && answered;
    },
    { everyMs: 1_000, timeoutMs: 120_000 },
  );
  const arrived = (await mailNow(everybody)).map(({ to: [to] }) => to as string);
  expect(new Set(arrived).size).toBe(arrived.length);
  const unknown = results.flatMap(({ ok, reason }, place) => (ok ? [] : [{ to: addresses[place] as string, reason }]));
  expect(unknown).toEqual(unknown.map(({ to }) => ({ to, reason: 'outcome_unknown' })));
  expect(unknown.map(({ to }) => to)).toContain(slow);
  expect(unknown.length).toBeLessThanOrEqual(CONNECTIONS);
  expect(unknown.map(({ to }) => to)).toEqual(expect.arrayContaining(addresses.filter((to) => !arrived.includes(to))));
  const log = await rows(await database(everpost.databaseUrl), sql<{ key: string }>`select idempotency_key as key from sends`);
  expect(log.map(({ key }) => key).toSorted()).toEqual(addresses.map((_, place) => `cut-off[${place}]`).toSorted());
}, 300_000);
