import { sql } from 'kysely';
import {
  BulkEnrollment,
  Confirmation,
  ContactImport,
  EnrollmentAction,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookRetry,
} from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findDomainById } from '../../db/queries/domains/sending-domains.ts';
import { row } from '../../db/rows.ts';
import type { OfEachType } from './open-rows.ts';
import { enrollmentOf } from './sequences.ts';

/** What the rows of openRows say; that of a burst is the delivery that waits in it. */
export async function standing(em: EntityManager, ids: OfEachType<string>): Promise<OfEachType<string>> {
  const fresh = em.fork();
  const { status, end_reason } = await enrollmentOf(fresh, ids.enrollment);
  const campaign = (await row(
    fresh,
    sql<{ status: string; reason: string | null }>`select status, reason from campaigns where id = ${ids.campaign}`,
  ))!;
  const delivery = await fresh.findOneOrFail(WebhookDelivery, { id: ids.webhookDelivery });
  const inBurst = await fresh.findOneOrFail(WebhookDelivery, { endpoint_id: ids.webhookBurst });
  const { has_lane } = await fresh.findOneOrFail(WebhookEndpoint, { id: ids.webhookBurst });
  const waiting = await row(fresh, sql`select 1 from scheduled_sends where project_id = ${ids.scheduledSends}`);
  return {
    enrollment: `${status} ${end_reason}`,
    campaign: `${campaign.status} ${campaign.reason}`,
    webhookDelivery: delivery.status,
    webhookBurst: `${inBurst.status}${has_lane ? ' in the burst' : ''}`,
    webhookRetry: (await fresh.findOneOrFail(WebhookRetry, { id: ids.webhookRetry })).status,
    bulkEnrollment: (await fresh.findOneOrFail(BulkEnrollment, { id: ids.bulkEnrollment })).status,
    enrollmentAction: (await fresh.findOneOrFail(EnrollmentAction, { id: ids.enrollmentAction })).status,
    scheduledSends: waiting ? 'waiting' : 'none',
    confirmation: (await fresh.findOneOrFail(Confirmation, { id: ids.confirmation })).state,
    contactImport: (await fresh.findOneOrFail(ContactImport, { id: ids.contactImport })).status,
    domainCheck: (await findDomainById(fresh, ids.domainCheck))?.standing ?? 'none',
  };
}

/** How they stand after reconcile has settled them: docs/contract/temporal.md 8. Scheduled mails are cancelled one by one, and wait for another workflow, as domains do. */
export function settled(reason: string): OfEachType<string> {
  return {
    ...{ enrollment: `cancelled ${reason}`, campaign: `cancelled ${reason}`, webhookDelivery: 'failed', webhookBurst: 'failed' },
    ...{
      webhookRetry: 'cancelled',
      bulkEnrollment: 'cancelled',
      enrollmentAction: 'cancelled',
      scheduledSends: 'waiting',
      domainCheck: 'pending',
      confirmation: 'expired',
      contactImport: 'cancelled',
    },
  };
}
