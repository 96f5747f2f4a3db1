import { sql } from 'kysely';
import { HIDDEN_COLUMNS } from '../../contact-columns.ts';
import type { ContactRow, EnrollmentRow, EnrollmentStepRow, ProductEventRow, ProjectRow, SequenceRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRow, row } from '../../rows.ts';
import { HAS_GATHERED } from './digests.ts';

/** The run that a visit is of. */
type RunOfVisit = Pick<EnrollmentRow, 'status' | 'sequence_id' | 'sequence_version' | 'project_id'>;

/** The visit that a mail is for, with what its rendering needs. `outcome` is null while it is still to be done. */
export interface SendStep
  extends RunOfVisit,
    Pick<EnrollmentRow, 'waiting_for' | 'contact_id' | 'sandboxed'>,
    Pick<EnrollmentStepRow, 'step' | 'node_id' | 'visit' | 'outcome' | 'outage_ms' | 'capped_at'>,
    Pick<ContactRow, 'email' | 'brand_id' | 'timezone'>,
    Pick<ProjectRow, 'send_window'> {
  readonly enrollment_id: EnrollmentRow['id'];
  readonly project_slug: ProjectRow['slug'];
  /** Payload of the latest event of the enrollment; null when no event started it. */
  readonly event_data: ProductEventRow['data'] | null;
  /** Whether it has come to a digest. */
  readonly has_gathered: boolean;
  /** PostgreSQL's clock: by it the step is held, whatever that of this process says. */
  readonly now: Date;
}

export async function sendStepOf(em: EntityManager, enrollmentId: string, step: number): Promise<SendStep | undefined> {
  return preparedRow(
    em,
    sql<SendStep>`
      select e.id as enrollment_id, e.status, st.step, st.node_id, st.visit, st.outcome, st.outage_ms, st.capped_at, e.waiting_for, e.project_id, p.slug as project_slug, e.sequence_id, e.sequence_version,
             e.contact_id, e.sandboxed, c.email, c.brand_id, c.timezone, p.send_window, ev.data as event_data, ${HAS_GATHERED} as has_gathered, now() as now
      from enrollments e
      join enrollment_steps st on st.enrollment_id = e.id and st.step = ${step}
      join projects p on p.id = e.project_id join contacts c on c.id = e.contact_id and c.project_id = e.project_id
      left join events ev on ev.id = e.event_id
      where e.id = ${enrollmentId}`,
  );
}

/** The visit that a webhook node is called for. `outcome` is null while it is still to be done. */
export interface WebhookStep
  extends RunOfVisit,
    Pick<EnrollmentStepRow, 'outcome' | 'detail' | 'node_id' | 'visit'>,
    Pick<ProjectRow, 'sealed_webhook_secret'> {
  readonly sequence_key: SequenceRow['key'];
  /** As JSON. */
  readonly contact: Readonly<Record<string, unknown>>;
  readonly event_data: ProductEventRow['data'] | null;
  /** Whether it has come to a digest. */
  readonly has_gathered: boolean;
}

export async function webhookStepOf(em: EntityManager, enrollmentId: string, step: number): Promise<WebhookStep | undefined> {
  return row(
    em,
    sql<WebhookStep>`
      select e.status, st.outcome, st.detail, st.node_id, st.visit, e.sequence_id, e.sequence_version, s.key as sequence_key, e.project_id, p.sealed_webhook_secret,
             to_jsonb(c) - ${HIDDEN_COLUMNS}::text[] as contact,
             ev.data as event_data, ${HAS_GATHERED} as has_gathered
      from enrollments e
      join enrollment_steps st on st.enrollment_id = e.id and st.step = ${step}
      join sequences s on s.id = e.sequence_id join projects p on p.id = e.project_id join contacts c on c.id = e.contact_id and c.project_id = e.project_id
      left join events ev on ev.id = e.event_id
      where e.id = ${enrollmentId}`,
  );
}
