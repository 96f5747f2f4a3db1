import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll } from 'vitest';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { claimBatches, type HeldBatch } from '../../../db/queries/campaigns/campaign-batches.ts';
import { insertCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import type { SendIntent } from '../../../db/queries/sends/send-intents.ts';
import { rows } from '../../../db/rows.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

export const OPENING = { deduplicates: false, journal: null };

/** Batches of a project in a database of its own, which is made before the tests. Call it once for the file. */
export function ownBatches() {
  let orm: MikroORM;
  let projectId: string;

  beforeAll(async () => {
    orm = await ownDatabase();
    projectId = (await bareProject(orm.em.fork())).id;
    await rows(orm.em.fork(), sql`alter table campaign_pages set (autovacuum_enabled = off)`);
  });

  const fork = (): EntityManager => orm.em.fork();
  const campaignOf = (gone: number, pending: number): Promise<string> => insertBatches(fork(), projectId, gone, pending);

  return {
    fork,
    campaignOf,
    projectId: () => projectId,

    async sendingCampaign(): Promise<string> {
      const id = await campaignOf(0, 1);
      await rows(fork(), sql`delete from campaign_pages where campaign_id = ${id} and state = 'open'`);
      await rows(fork(), sql`update campaigns set status = 'sending' where id = ${id}`);
      return id;
    },

    /** The intent of the one mail of a batch. */
    intentOf: (batch: HeldBatch): SendIntent => ({
      ...{ id: uuidv7(), projectId, contactId: batch.contact_ids[0] ?? null, brandId: 'b', toEmail: 'a@to.example', template: 't' },
      ...{
        type: 'marketing',
        subject: 's',
        sourceType: 'campaign',
        sourceId: batch.campaign_id,
        identity: { by: 'nothing' },
        journal: null,
      },
    }),

    /** Makes the recipient of a batch a contact of this project, and gives its address. */
    async contactOf({ contact_ids: [id] }: HeldBatch, status = 'subscribed', project = projectId): Promise<string> {
      const email = `${id}@${project}.example`;
      await rows(
        fork(),
        sql`insert into contacts (project_id, id, email, status, brand_id) select id, ${id}, ${email}, ${status}, slug from projects where id = ${project}`,
      );
      return email;
    },
  };
}

/** The one batch of the campaign that is due, leased by somebody of its own. */
export async function claimOne(em: EntityManager, campaignId: string): Promise<HeldBatch> {
  const [batch] = await claimBatches(em, campaignId, 1, uuidv7());
  return batch as HeldBatch;
}

/** A campaign of so many batches that have gone, so many that wait for their turn, and three that are open. */
async function insertBatches(em: EntityManager, projectId: string, gone: number, pending: number): Promise<string> {
  const id = uuidv7();
  await insertCampaign(em, {
    ...{ id, projectId, name: '', template: 't', type: 'marketing', brand: 'b', subject: 's', hasOwnSubject: false, data: {} },
    ...{ audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null, ratePerSecond: null, now: new Date() },
  });
  const add = (from: number, upTo: number) => sql`
    insert into campaign_pages (campaign_id, no, contact_ids)
    select ${id}::uuid, no, array[gen_random_uuid()] from generate_series(${from}::integer, ${upTo}::integer) no`;
  await rows(em, add(1, gone));
  await rows(em, sql`update campaign_pages set state = 'open', opened_at = now(), available_at = 'infinity' where campaign_id = ${id}`);
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
  await rows(em, add(gone + 1, gone + pending + 3));
  await rows(
    em,
    sql`update campaign_pages set state = 'open', opened_at = now(), available_at = 'infinity' where campaign_id = ${id} and no > ${gone + pending}`,
  );
  await rows(em, sql`analyze campaign_pages`);
  return id;
}

/** What an open batch leaves for later when it ends with this intent put off. */
export function laterOf({ id, contactId, subject }: SendIntent) {
  return { later: [{ id, contactId, subject }], pauseMs: 0, wasAway: false };
}
