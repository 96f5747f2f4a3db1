import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { countWithheld } from '../../../db/queries/sends/send-stats.ts';
import { row, rows } from '../../../db/rows.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

const DAY_MS = 86_400_000;
const REFUSED = 5_000;

/** Mails of two days ago, one for each error. */
const write = (em: EntityManager, project: { id: string; slug: string }, errors: readonly (string | null)[], status = 'failed') =>
  row(
    em,
    sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, status, error, created_at)
        select gen_random_uuid(), ${project.id}, ${project.slug}, 'a@to.example', 't', 'marketing', 'api', ${status}, error, now() - interval '2 days'
        from unnest(${errors}::text[]) error`,
  );

test('mails that no gate let go are counted for their project and time, by index, however many others failed', async () => {
  const em = (await ownDatabase()).em.fork();
  const [project, other] = [await bareProject(em), await bareProject(em)];
  await write(em, project, ['suppressed', 'suppressed: bounce', 'unsubscribed', 'bounced']);
  await write(em, project, ['provider_rejected: suppressed', 'suppressed_by_nobody', null]);
  await write(em, project, ['suppressed'], 'sent');
  await write(
    em,
    project,
    Array.from({ length: REFUSED }, () => 'provider_rejected: no such mailbox'),
  );
  await row(em, sql`analyze sends`);
  const now = Date.now();
  const week = { begins: [new Date(now - 7 * DAY_MS), new Date(now - DAY_MS)], end: new Date(now) };
  const lastDay = { begins: [new Date(now - DAY_MS)], end: new Date(now) };
  const before = { begins: [new Date(now - 7 * DAY_MS)], end: new Date(now - 3 * DAY_MS) };
  await em.transactional(async (tx) => {
    const read = async () =>
      (
        await rows(
          tx,
          sql<{
            read: number;
          }>`select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = 'sends'`,
        )
      )[0]!.read;
    const begun = await read();
    expect(await countWithheld(tx, project.id, week)).toBe(4);
    expect((await read()) - begun).toBeLessThan(REFUSED / 100);
  });
  expect(await countWithheld(em, project.id, lastDay)).toBe(0);
  expect(await countWithheld(em, project.id, before)).toBe(0);
  expect(await countWithheld(em, other.id, week)).toBe(0);
});
