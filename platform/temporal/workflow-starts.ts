import type { EntityManager } from '../../db/orm.ts';
import { campaignStarts } from '../../db/queries/campaigns/campaign-starts.ts';
import { confirmationStarts } from '../../db/queries/contacts/confirmations.ts';
import { importStarts } from '../../db/queries/contacts/imports.ts';
import { domainCheckStarts } from '../../db/queries/domains/sending-domains.ts';
import { scheduledStarts } from '../../db/queries/sends/scheduled-sends.ts';
import { bulkStarts } from '../../db/queries/sequences/bulk-enrollments.ts';
import { actionStarts } from '../../db/queries/sequences/enrollment-actions.ts';
import { enrollmentStarts } from '../../db/queries/sequences/enrollment-starts.ts';
import { retryStarts } from '../../db/queries/webhooks/webhook-retries.ts';
import { burstStarts, deliveryStarts } from '../../db/queries/webhooks/webhook-starts.ts';
import { firstMail } from '../../domain/sequences/first-mail.ts';
import { entryNode, nodeAfter, type SequenceGraph } from '../../domain/sequences/graph.ts';
import { ENTERED } from '../../domain/sequences/kinds/trigger.ts';
import { grouped, shownWords } from '../../domain/shown-text.ts';
import {
  type ActionInput,
  actionIdOf,
  actionWorkflowId,
  type BulkInput,
  type BurstInput,
  bulkIdOf,
  bulkWorkflowId,
  burstEndpointOf,
  burstWorkflowId,
  type CampaignInput,
  type ConfirmationInput,
  campaignIdOf,
  campaignWorkflowId,
  checkedDomainOf,
  confirmationIdOf,
  confirmationWorkflowId,
  type DeliveryInput,
  type DomainCheckInput,
  deliveryIdOf,
  deliveryWorkflowId,
  domainCheckWorkflowId,
  type EnrollmentInput,
  enrollmentIdOf,
  enrollmentWorkflowId,
  type ImportInput,
  importIdOf,
  importWorkflowId,
  type RetryInput,
  retryIdOf,
  retryWorkflowId,
  type ScheduledInput,
  SEARCH_ATTRIBUTES,
  scheduledProjectOf,
  scheduledWorkflowId,
  type WorkflowType,
} from '../../workflows/contracts.ts';

/** A workflow as Temporal is told to start it, and what operators see of it from its first moment on: docs/contract/temporal.md 4, 5, 7. */
export interface WorkflowStart {
  readonly workflowId: string;
  readonly workflowType: WorkflowType;
  readonly input:
    | EnrollmentInput
    | CampaignInput
    | DeliveryInput
    | BurstInput
    | RetryInput
    | ScheduledInput
    | BulkInput
    | ActionInput
    | DomainCheckInput
    | ConfirmationInput
    | ImportInput;
  readonly searchAttributes: Readonly<Record<string, string>>;
  /** Shown in Temporal Web; names and ids, no addresses. */
  readonly summary: string;
  /** The same at more length, for what a name does not explain. */
  readonly details?: string;
  /** On shared queues 1 goes first and 5 last. */
  readonly priority: number;
  /** Fairness among projects on shared queues. */
  readonly fairnessKey: string;
  /** It may have run before under its id, and one that is just ending goes on. */
  readonly isRepeatable?: true;
}

/** Runs that one person's doing started go before those of a bulk call. */
const SINGLE_RUN = 3;
const BULK_RUN = 5;

const BURST =
  'More first attempts wait for this endpoint than are worth a workflow each, so its burst makes them, and ends when none wait. ' +
  'What the endpoint refuses gets a workflow of its own when the second attempt is due; of very many that are due together the burst makes those, too. ' +
  'Terminate and Request Cancellation fail every delivery that waits here; Reset is safe.';

const RETRY =
  'Deliveries of this endpoint that have failed are begun again, the oldest first, no more at a time than wait for it without holding up what happens ' +
  'meanwhile; its burst attempts them. Terminate and Request Cancellation leave the others failed; Reset is safe.';

const BULK =
  'All members of the segment are enrolled, in the order in which they became contacts; a sequence that is not active holds it. ' +
  'Terminate and Request Cancellation leave the others out, and who was enrolled in; Reset is safe.';

const ACTION =
  'The runs that matched when this was asked for are taken one after the other, each once; one that stands otherwise by then is skipped. ' +
  'Terminate and Request Cancellation leave the others as they are, and what was done stays; Reset is safe.';

const SCHEDULED =
  'Mails that were asked for with sendAt: this sends them when they are due, and ends when none waits. One of them is cancelled with DELETE /sends/:id. ' +
  'Terminate and Request Cancellation lose none: another workflow begins within a minute. Reset is safe.';

const DOMAIN_CHECK =
  'The DNS records of the domain are looked up minutes after it was added, and daily once they stand; retryNow looks at once. ' +
  'Terminate and Request Cancellation end nothing: another workflow begins within a minute. Reset is safe.';

const CONFIRMATION =
  'Somebody signed up and is asked whether it was them: this sends the email and its reminders, and ends when they confirm, or after the days that ' +
  'the brand gives them. retryNow looks at once. Terminate and Request Cancellation end it: nobody is asked any more, a new sign-up asks again. Reset is safe.';

const IMPORT =
  'The rows of a file become contacts of the project, some thousand at a time in the order of the file; its own page of the API says what they came to. ' +
  'retryNow looks at once whether it is to go on. Terminate and Request Cancellation end it, and what was imported stays; Reset is safe.';

type Load = (em: EntityManager, workflowIds: readonly string[]) => Promise<Omit<WorkflowStart, 'workflowType'>[]>;

/** How each type is started: its rows say with what. */
const LOADERS: Record<WorkflowType, Load> = {
  async enrollment(em, workflowIds) {
    const found = await enrollmentStarts(
      em,
      workflowIds.flatMap((id) => enrollmentIdOf(id) ?? []),
    );
    return found.map(({ id, contactId, isBulk, isRetried, nodeId, projectSlug, sequence: { key, name, graph } }) => ({
      workflowId: enrollmentWorkflowId(id),
      input: { enrollmentId: id, ...firstCommand(graph, nodeId) },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: projectSlug,
        [SEARCH_ATTRIBUTES.sequence]: key,
        [SEARCH_ATTRIBUTES.contact]: contactId,
        [SEARCH_ATTRIBUTES.node]: firstNode(graph),
        [SEARCH_ATTRIBUTES.state]: 'running',
      },
      summary: `${shownWords(name)} (${key}) for contact ${contactId}`,
      priority: isBulk ? BULK_RUN : SINGLE_RUN,
      fairnessKey: fairnessKey(projectSlug),
      ...(isRetried ? { isRepeatable: true as const } : {}),
    }));
  },
  async campaign(em, workflowIds) {
    const found = await campaignStarts(
      em,
      workflowIds.flatMap((id) => campaignIdOf(id) ?? []),
    );
    return found.map(({ id, name, template, status, total_recipients, retried_at, projectSlug }) => ({
      workflowId: campaignWorkflowId(id),
      input: { campaignId: id },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: projectSlug,
        [SEARCH_ATTRIBUTES.campaign]: id,
        [SEARCH_ATTRIBUTES.state]: status === 'scheduled' ? 'waiting' : 'running',
      },
      summary: `${shownWords(name) || template}: ${grouped(total_recipients)} recipients`,
      priority: BULK_RUN,
      fairnessKey: fairnessKey(projectSlug),
      // Only one that is sent again has had its workflow: what an operator ended is not begun by a start that comes twice.
      ...(retried_at ? { isRepeatable: true as const } : {}),
    }));
  },
  async webhookDelivery(em, workflowIds) {
    const found = await deliveryStarts(
      em,
      workflowIds.flatMap((id) => deliveryIdOf(id) ?? []),
    );
    return found.map(({ id, endpoint_id, project_id, attempts, projectSlug, eventType, url }) => ({
      workflowId: deliveryWorkflowId(id),
      input: { deliveryId: id, endpointId: endpoint_id, projectId: project_id, number: attempts + 1 },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: projectSlug,
        [SEARCH_ATTRIBUTES.endpoint]: endpoint_id,
        [SEARCH_ATTRIBUTES.state]: 'running',
      },
      summary: `${eventType} to ${hostOf(url)}, endpoint ${endpoint_id}`,
      // What was refused once waits behind what happens now.
      priority: attempts > 0 ? BULK_RUN : SINGLE_RUN,
      fairnessKey: fairnessKey(projectSlug),
      isRepeatable: true,
    }));
  },
  async webhookBurst(em, workflowIds) {
    const found = await burstStarts(
      em,
      workflowIds.flatMap((id) => burstEndpointOf(id) ?? []),
    );
    return found.map(({ id, url, projectSlug }) => ({
      workflowId: burstWorkflowId(id),
      input: { endpointId: id },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: projectSlug,
        [SEARCH_ATTRIBUTES.endpoint]: id,
        [SEARCH_ATTRIBUTES.state]: 'running',
      },
      summary: `first attempts of many events to ${hostOf(url)}, endpoint ${id}`,
      details: BURST,
      // A task now and then, which relieves the worker of many.
      priority: SINGLE_RUN,
      fairnessKey: fairnessKey(projectSlug),
      isRepeatable: true,
    }));
  },
  async webhookRetry(em, workflowIds) {
    const found = await retryStarts(
      em,
      workflowIds.flatMap((id) => retryIdOf(id) ?? []),
    );
    return found.map(({ id, endpoint_id, total, url, projectSlug }) => ({
      workflowId: retryWorkflowId(id),
      input: { retryId: id },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: projectSlug,
        [SEARCH_ATTRIBUTES.endpoint]: endpoint_id,
        [SEARCH_ATTRIBUTES.state]: 'running',
      },
      summary: `retry of ${grouped(total)} failed deliveries to ${hostOf(url)}, endpoint ${endpoint_id}`,
      details: RETRY,
      priority: BULK_RUN,
      fairnessKey: fairnessKey(projectSlug),
      isRepeatable: true,
    }));
  },
  async bulkEnrollment(em, workflowIds) {
    const found = await bulkStarts(
      em,
      workflowIds.flatMap((id) => bulkIdOf(id) ?? []),
    );
    return found.map(({ id, label, total, key, name, projectSlug }) => ({
      workflowId: bulkWorkflowId(id),
      input: { bulkId: id },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: projectSlug,
        [SEARCH_ATTRIBUTES.sequence]: key,
        [SEARCH_ATTRIBUTES.state]: 'running',
      },
      summary: `${grouped(total)} of the segment ${shownWords(label)} into ${shownWords(name)} (${key})`,
      details: BULK,
      priority: BULK_RUN,
      fairnessKey: fairnessKey(projectSlug),
      isRepeatable: true,
    }));
  },
  async enrollmentAction(em, workflowIds) {
    const found = await actionStarts(
      em,
      workflowIds.flatMap((id) => actionIdOf(id) ?? []),
    );
    return found.map(({ id, action, total, key, name, projectSlug }) => ({
      workflowId: actionWorkflowId(id),
      input: { actionId: id },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: projectSlug,
        [SEARCH_ATTRIBUTES.sequence]: key,
        [SEARCH_ATTRIBUTES.state]: 'running',
      },
      summary: `${action} ${grouped(total)} runs of ${shownWords(name)} (${key})`,
      details: ACTION,
      priority: BULK_RUN,
      fairnessKey: fairnessKey(projectSlug),
      isRepeatable: true,
    }));
  },
  async domainCheck(em, workflowIds) {
    const found = await domainCheckStarts(
      em,
      workflowIds.flatMap((id) => checkedDomainOf(id) ?? []),
    );
    return found.map(({ id, domain, projectSlug }) => ({
      workflowId: domainCheckWorkflowId(id),
      input: { domainId: id },
      searchAttributes: { [SEARCH_ATTRIBUTES.project]: projectSlug, [SEARCH_ATTRIBUTES.state]: 'running' },
      summary: `DNS records of ${domain}`,
      details: DOMAIN_CHECK,
      priority: BULK_RUN,
      fairnessKey: fairnessKey(projectSlug),
      isRepeatable: true,
    }));
  },
  async confirmation(em, workflowIds) {
    const found = await confirmationStarts(
      em,
      workflowIds.flatMap((id) => confirmationIdOf(id) ?? []),
    );
    return found.map(({ id, contact_id, is_bulk, projectSlug }) => ({
      workflowId: confirmationWorkflowId(id),
      input: { confirmationId: id },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: projectSlug,
        [SEARCH_ATTRIBUTES.contact]: contact_id,
        [SEARCH_ATTRIBUTES.state]: 'running',
      },
      summary: `confirmation of contact ${contact_id}`,
      details: CONFIRMATION,
      priority: is_bulk ? BULK_RUN : SINGLE_RUN,
      fairnessKey: fairnessKey(projectSlug),
      isRepeatable: true,
    }));
  },
  async contactImport(em, workflowIds) {
    const found = await importStarts(
      em,
      workflowIds.flatMap((id) => importIdOf(id) ?? []),
    );
    return found.map(({ id, size, dry_run, projectSlug }) => ({
      workflowId: importWorkflowId(id),
      input: { importId: id },
      searchAttributes: { [SEARCH_ATTRIBUTES.project]: projectSlug, [SEARCH_ATTRIBUTES.state]: 'running' },
      summary: `${dry_run ? 'dry run of an import' : 'import'} of ${grouped(Math.ceil(size / 1024))} KB of contacts into ${projectSlug}`,
      details: IMPORT,
      priority: BULK_RUN,
      fairnessKey: fairnessKey(projectSlug),
      isRepeatable: true,
    }));
  },
  async scheduledSends(em, workflowIds) {
    const found = await scheduledStarts(
      em,
      workflowIds.flatMap((id) => scheduledProjectOf(id) ?? []),
    );
    return found.map(({ id, slug }) => ({
      workflowId: scheduledWorkflowId(id),
      input: { projectId: id },
      searchAttributes: { [SEARCH_ATTRIBUTES.project]: slug, [SEARCH_ATTRIBUTES.state]: 'running' },
      summary: `scheduled mails of ${slug}`,
      details: SCHEDULED,
      priority: SINGLE_RUN,
      fairnessKey: fairnessKey(slug),
      isRepeatable: true,
    }));
  },
};

/** The workflows of one type with these ids; whose row is gone needs none. */
export async function loadStarts(em: EntityManager, workflowType: WorkflowType, workflowIds: readonly string[]): Promise<WorkflowStart[]> {
  return (await LOADERS[workflowType](em, workflowIds)).map(({ input, ...start }) => ({
    ...start,
    workflowType,
    input: { ...input, about: start.summary, types: 'in words' },
  }));
}

/** Never throws: a start that cannot be described would hold up all others of its batch. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an address that is none';
}

/** The server takes no longer one. */
function fairnessKey(projectSlug: string): string {
  return projectSlug.slice(0, 64);
}

/** Of a run whose trace has it at its first mail already: it has nothing to ask before it sends that. */
function firstCommand(graph: SequenceGraph, nodeId: string | null): Pick<EnrollmentInput, 'first'> {
  const mail = firstMail(graph);
  if (!mail || mail.node.id !== nodeId) return {};
  return { first: { do: 'send', step: mail.step, nodeId, template: mail.node.config.template } };
}

/** Where the run will be when it looks at the graph first; known already, it costs the workflow no change of its attributes. */
function firstNode(graph: SequenceGraph): string {
  const entry = entryNode(graph);
  return (entry && (nodeAfter(graph, entry.id, ENTERED.outcome) ?? entry))?.id ?? '';
}
