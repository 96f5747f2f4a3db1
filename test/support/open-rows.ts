import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { RECONCILED_TYPES } from '../../activities/reconciled-types.ts';
import {
  BulkEnrollment,
  ContactImport,
  EnrollmentAction,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhookRetry,
} from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { insertDkimKey } from '../../db/queries/domains/dkim-keys.ts';
import { setSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import { createProject } from '../../db/queries/projects/projects.ts';
import { row } from '../../db/rows.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import type { WorkflowType } from '../../workflows/contracts.ts';
import { newConfirmation } from './confirmations.ts';
import { testEnvironment } from './environment.ts';
import type { TestProject } from './project.ts';
import { newContact, newSequence, type TestSequence } from './sequences.ts';
import { createEndpoint } from './webhook-endpoints.ts';

export type OfEachType<T> = Record<WorkflowType, T>;

export const TYPES = Object.keys(RECONCILED_TYPES) as WorkflowType[];

export interface OpenRowsOf {
  readonly em: EntityManager;
  readonly project: TestProject;
  readonly sequence: TestSequence;
}

/** Of each type an open row without a workflow, and without a start on its way. */
export async function openRows(of: OpenRowsOf): Promise<OfEachType<string>> {
  const { em, project, sequence } = of;
  const contactId = await newContact(project, project.address());
  const [enrollment, campaign] = [uuidv7(), uuidv7()];
  await row(
    em,
    sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id)
        values (${enrollment}, ${project.id}, ${sequence.id}, 1, ${contactId})`,
  );
  await row(
    em,
    sql`insert into campaigns (id, project_id, template, type, brand_id, subject, has_own_subject, audience, status, total_recipients)
        values (${campaign}, ${project.id}, 'newsletter', 'marketing', ${project.slug}, '', false, '{"mode":"entire"}', 'queued', 3)`,
  );
  const webhookDelivery = await deliveryRow(of, await endpointRow(of, false), false);
  const webhookBurst = await endpointRow(of, true);
  await deliveryRow(of, webhookBurst, true);
  // The row of scheduled mails is their project, of which there is one.
  const scheduledSends = await scheduledRow(of);
  const webhookRetry = await retryRow(of);
  const bulkEnrollment = await bulkRow(of);
  const enrollmentAction = await actionRow(of);
  const domainCheck = await domainRow(of);
  const { id: confirmation } = await newConfirmation(em, project, { mails: 1, mailed_at: new Date() });
  const contactImport = await importRow(of);
  return {
    contactImport,
    confirmation,
    enrollment,
    campaign,
    webhookDelivery,
    webhookBurst,
    webhookRetry,
    scheduledSends,
    bulkEnrollment,
    enrollmentAction,
    domainCheck,
  };
}

/** A mail that waits for days, in a project of its own: all of a project share a workflow. */
async function scheduledRow({ em }: Pick<OpenRowsOf, 'em'>): Promise<string> {
  const slug = `scheduling-${randomBytes(6).toString('hex')}`;
  const vault = createVault(Buffer.from(testEnvironment().secretKey, 'base64'));
  const { id } = await createProject(em, vault, { id: uuidv7(), slug, name: slug, from: `hello@${slug}.example`, ownerVerified: true });
  const call = { template: 'receipt', to: `somebody@to.${slug}.example` };
  await row(
    em,
    sql`insert into scheduled_sends (id, project_id, due_at, available_at, call, caller, to_email, template, type, brand_id, subject)
        values (${uuidv7()}, ${id}, now() + interval '2 days', now() + interval '2 days', ${JSON.stringify(call)}::jsonb, '{}', ${call.to}, 'receipt',
                'transactional', ${slug}, '')`,
  );
  return id;
}

/** A paused one, whose file nobody reads. */
async function importRow({ em, project }: OpenRowsOf): Promise<string> {
  const id = uuidv7();
  const columns = [{ name: 'email', field: { kind: 'email' } }] as const;
  const settings = {
    columns,
    delimiter: ',',
    header: true,
    tagSeparator: ',',
    onExisting: 'update',
    tags: [],
    brand: project.slug,
  } as const;
  const file = { filename: 'people.csv', size: 100, read_to: 6, settings, dry_run: false };
  await em.insert(ContactImport, { id, project_id: project.id, key_id: null, status: 'paused', ...file });
  return id;
}

/** A sending domain with a record to set. */
async function domainRow({ em, project }: OpenRowsOf): Promise<string> {
  const [id, keyId] = [uuidv7(), uuidv7()];
  await setSendingDomain(em, { id, projectId: project.id, domain: `d-${randomBytes(6).toString('hex')}.example`, verified: false });
  const key = { id: keyId, domain_id: id, algorithm: 'rsa', selector: 's', record: 'v=DKIM1; k=rsa; p=x', created_at: new Date() } as const;
  await insertDkimKey(em, { ...key, sealed_private_key: Buffer.from('x') });
  return id;
}

/** Into a sequence that is not active, of its own: one of each runs at a time. */
async function bulkRow({ em, project }: OpenRowsOf): Promise<string> {
  const [id, { id: sequenceId }] = [uuidv7(), await newSequence(project, { status: 'paused' })];
  const segment = { label: 'all', filter: {}, brand_id: null };
  await em.insert(BulkEnrollment, { id, project_id: project.id, sequence_id: sequenceId, ...segment, total: 3 });
  return id;
}

/** With nothing before it. */
async function actionRow({ em, project, sequence }: OpenRowsOf): Promise<string> {
  const id = uuidv7();
  const asked = { action: 'cancel', filter: {}, to_node: null, to_version: null, migrate: null, key_id: null } as const;
  await em.insert(EnrollmentAction, { id, project_id: project.id, sequence_id: sequence.id, ...asked, total: 3 });
  return id;
}

async function retryRow(of: OpenRowsOf): Promise<string> {
  const [id, endpointId] = [uuidv7(), await endpointRow(of, false)];
  await of.em.insert(WebhookRetry, { id, project_id: of.project.id, endpoint_id: endpointId, total: 3 });
  return id;
}

async function endpointRow({ em, project }: OpenRowsOf, hasBurst: boolean): Promise<string> {
  const { id } = await createEndpoint(project, testEnvironment().receiverUrl);
  await em.nativeUpdate(WebhookEndpoint, { id }, { has_lane: hasBurst });
  return id;
}

async function deliveryRow({ em, project }: OpenRowsOf, endpointId: string, inBurst: boolean): Promise<string> {
  const [id, eventId] = [uuidv7(), uuidv7()];
  await em.insert(WebhookEvent, { id: eventId, project_id: project.id, type: 'contact.subscribed', data: {} });
  await em.insert(WebhookDelivery, { id, project_id: project.id, endpoint_id: endpointId, event_id: eventId, in_lane: inBurst });
  return id;
}

export function workflowIds(ids: OfEachType<string>): OfEachType<string> {
  return Object.fromEntries(TYPES.map((type) => [type, RECONCILED_TYPES[type].workflowId(ids[type])])) as OfEachType<string>;
}
