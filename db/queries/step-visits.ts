import { sql } from 'kysely';
import { HIDDEN_COLUMNS } from '../contact-columns.ts';
import type { EntityManager } from '../orm.ts';
import { hotRow, row } from '../rows.ts';

/** The visit that a mail is for, with what its rendering needs. */
export interface SendStep {
  readonly enrollment_id: string;
  readonly status: string;
  readonly node_id: string;
  readonly visit: number;
  /** Null while the visit is still to be done. */
  readonly outcome: string | null;
  /** How long outages held this step up so far, in milliseconds. */
  readonly outage_ms: number;
  /** When it first met the frequency cap. */
  readonly capped_at: Date | null;
  readonly waiting_for: string | null;
  readonly project_id: string;
  readonly project_slug: string;
  readonly sequence_id: string;
  readonly sequence_version: number;
  readonly contact_id: string;
  readonly email: string;
  readonly brand_id: string;
  /** Payload of the latest event of the enrollment; null when no event started it. */
  readonly event_data: Readonly<Record<string, unknown>> | null;
}

export async function sendStepOf(em: EntityManager, enrollmentId: string, step: number): Promise<SendStep | undefined> {
  return hotRow(
    em,
    sql<SendStep>`
      select e.id as enrollment_id, e.status, st.node_id, st.visit, st.outcome, st.outage_ms, st.capped_at, e.waiting_for, e.project_id, p.slug as project_slug, e.sequence_id, e.sequence_version,
             e.contact_id, c.email, c.brand_id, ev.data as event_data
      from enrollments e
      join enrollment_steps st on st.enrollment_id = e.id and st.step = ${step}
      join projects p on p.id = e.project_id join contacts c on c.id = e.contact_id and c.project_id = e.project_id
      left join events ev on ev.id = e.event_id
      where e.id = ${enrollmentId}`,
  );
}

/** The visit that a webhook node is called for. */
export interface WebhookStep {
  readonly status: string;
  /** Null while the visit is still to be done. */
  readonly outcome: string | null;
  readonly detail: string | null;
  readonly node_id: string;
  readonly visit: number;
  readonly sequence_id: string;
  readonly sequence_version: number;
  readonly sequence_key: string;
  readonly project_id: string;
  readonly sealed_webhook_secret: Buffer;
  /** As JSON. */
  readonly contact: Readonly<Record<string, unknown>>;
  readonly event_data: Readonly<Record<string, unknown>> | null;
}

export async function webhookStepOf(em: EntityManager, enrollmentId: string, step: number): Promise<WebhookStep | undefined> {
  return row(
    em,
    sql<WebhookStep>`
      select e.status, st.outcome, st.detail, st.node_id, st.visit, e.sequence_id, e.sequence_version, s.key as sequence_key, e.project_id, p.sealed_webhook_secret,
             to_jsonb(c) - ${HIDDEN_COLUMNS}::text[] as contact,
             ev.data as event_data
      from enrollments e
      join enrollment_steps st on st.enrollment_id = e.id and st.step = ${step}
      join sequences s on s.id = e.sequence_id join projects p on p.id = e.project_id join contacts c on c.id = e.contact_id and c.project_id = e.project_id
      left join events ev on ev.id = e.event_id
      where e.id = ${enrollmentId}`,
  );
}
