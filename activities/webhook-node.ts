import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { EntityManager } from '../db/orm.ts';
import { hasLeft } from '../db/queries/sequences/active-ids.ts';
import { digestBefore } from '../db/queries/sequences/digests.ts';
import { recordOutcome } from '../db/queries/sequences/enrollment-steps.ts';
import { recordFinished } from '../db/queries/sequences/moved-runs.ts';
import { loadGraph } from '../db/queries/sequences/sequences.ts';
import { showCallRetry } from '../db/queries/sequences/step-holds.ts';
import { type WebhookStep, webhookStepOf } from '../db/queries/sequences/step-visits.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { sealedOf } from '../domain/projects/sealed.ts';
import { nodeOf } from '../domain/sequences/graph.ts';
import { webhookCall } from '../domain/sequences/webhook-call.ts';
import { storable } from '../domain/storable-text.ts';
import { isTaken } from '../domain/webhooks/delivery.ts';
import { parseSecret } from '../domain/webhooks/signature.ts';
import type { SafeHttp } from '../platform/http/safe-http.ts';
import type { FairSlots } from '../webhooks/fair-slots.ts';
import type { GivenUp, NodeCalls } from '../webhooks/node-calls.ts';
import { callSigned, outcomeOf, type SignedCall } from '../webhooks/signed-post.ts';
import { HOST_BUSY, type StepReport } from '../workflows/contracts.ts';

const DEFAULT_TIMEOUT_SECONDS = 15;
const SLOT_PATIENCE_MS = 15_000;

export interface WebhookNodeDeps {
  readonly em: EntityManager;
  readonly http: SafeHttp;
  readonly slots: FairSlots;
  readonly vault: Vault;
  readonly calls: NodeCalls;
  readonly now: () => Date;
  /** By the same activity. */
  readonly triesMade: number;
  /** By others before it. */
  readonly triesBefore: number;
  /** When the call is made again if this try is refused; null when it is the last. */
  readonly nextTryAt: () => Date | null;
}

/** The visit of a webhook node that is called for. */
interface Visit {
  readonly enrollmentId: string;
  readonly step: number;
}

/**
 * One call of a webhook node: the same address checks, signature and headers as outgoing webhooks, with the project's own secret. Fails
 * retryably when it is not answered with 2xx; the id stays the same, so a receiver can tell a repeated call.
 */
export async function callWebhook(deps: WebhookNodeDeps, { enrollmentId, step }: Visit): Promise<StepReport> {
  const { em, http, slots, calls, triesMade, triesBefore } = deps;
  const found = await webhookStepOf(em, enrollmentId, step);
  if (found?.status !== 'active') return skipped(em, { enrollmentId, step });
  // Done before a reset, or by an attempt whose answer was lost.
  if (found.outcome !== null) return { step, outcome: found.outcome, ...(found.detail === null ? {} : { detail: found.detail }) };
  const call = await nodeCallOf(deps, enrollmentId, step, found);
  if ('problem' in call) return { step, outcome: 'failed', detail: call.problem };
  const host = URL.parse(call.url)?.host ?? '';
  const asking = { endpointId: `host ${host}`, projectId: found.project_id, isRetry: triesMade + triesBefore > 0 };
  const release = await slots.take(asking, AbortSignal.timeout(SLOT_PATIENCE_MS));
  if (!release) throw hostBusy(triesMade);
  // It may have waited for its place.
  if (await hasLeft(em, enrollmentId, step)) {
    release();
    return skipped(em, { enrollmentId, step });
  }
  const answer = await callSigned(http, { ...call, now: deps.now() }).finally(release);
  calls.called(outcomeOf(answer));
  const detail = storable(answer.ok ? `answered ${answer.status}` : `${answer.refused}: ${answer.message}`);
  if (answer.ok && isTaken(answer)) {
    const report: StepReport = { step, outcome: 'called', detail };
    // The workflow reports it as well, but not when it is cancelled just now. A database that is away must not have the call made again.
    await recordAnyway(em, enrollmentId, report).catch(() => undefined);
    return report;
  }
  const answered = answer.ok ? answer.status : answer.refused;
  return refused(deps, { step, detail }, { enrollmentId, projectId: found.project_id, node: found.node_id, host, answered });
}

/** The request of the node, but for its instant. `problem`: why there is none, which no later try could change. */
async function nodeCallOf(
  { em, vault }: Pick<WebhookNodeDeps, 'em' | 'vault'>,
  enrollmentId: string,
  step: number,
  { project_id, sequence_id, sequence_version, sequence_key, sealed_webhook_secret, ...found }: WebhookStep,
): Promise<Omit<SignedCall, 'now'> | { readonly problem: string }> {
  const graph = await loadGraph(em, sequence_id, sequence_version);
  const node = nodeOf(graph, found.node_id);
  if (node?.kind !== 'webhook') return { problem: `the node ${found.node_id} calls nothing` };
  const key = parseSecret(vault.open(sealed_webhook_secret, sealedOf.webhookSecret(project_id)).toString());
  if (!key) return { problem: "the project's webhook secret cannot be used" };
  const enrollment = { id: enrollmentId, sequence_key, node_id: found.node_id };
  const digest = found.has_gathered ? await digestBefore(em, { enrollmentId, step }) : undefined;
  const variables = { contact: withTimestamps(found.contact), event: found.event_data ?? {}, enrollment, ...(digest ? { digest } : {}) };
  const call = webhookCall(node.config, variables);
  if ('problem' in call) return call;
  const id = `${enrollmentId}.${found.node_id}.${found.visit}`;
  return { ...call, keys: [key], id, timeoutSeconds: node.config.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS, keepFor: project_id };
}

/** No try: the workflow comes back with those that are left. */
function hostBusy(triesMade: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: HOST_BUSY,
    category: ApplicationFailureCategory.BENIGN,
    nonRetryable: true,
    message: 'the host has as many calls at once as it may have',
    details: [triesMade],
  });
}

/** Fails, so that the call is tried again, or is given up. Of a run that has ended or was moved meanwhile no further try comes, and the visit is told so. */
async function refused(
  { em, calls, nextTryAt }: WebhookNodeDeps,
  { step, detail }: { readonly step: number; readonly detail: string },
  call: GivenUp,
): Promise<StepReport> {
  const { enrollmentId } = call;
  if (await hasLeft(em, enrollmentId, step)) {
    const report: StepReport = { step, outcome: 'failed', detail };
    await recordAnyway(em, enrollmentId, report);
    return report;
  }
  const until = nextTryAt();
  if (until) await showCallRetry(em, { enrollmentId, step, until });
  else calls.givenUp(call);
  throw ApplicationFailure.create({ type: 'webhook_refused', category: ApplicationFailureCategory.BENIGN, message: detail });
}

/** Also where the run was moved away while the call was in flight. */
async function recordAnyway(em: EntityManager, enrollmentId: string, report: StepReport): Promise<void> {
  if (!(await recordOutcome(em, enrollmentId, report))) await recordFinished(em, enrollmentId, report);
}

/** No call is made for a run that has ended; its workflow may be gone, so the visit is told so here. */
async function skipped(em: EntityManager, { enrollmentId, step }: Visit): Promise<StepReport> {
  const report = { step, outcome: 'skipped', detail: 'the enrollment has ended' };
  await recordOutcome(em, enrollmentId, report);
  return report;
}

/** PostgreSQL writes instants into JSON in its own way; a receiver gets them as the API shows them. */
function withTimestamps(contact: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { created_at, updated_at } = contact as { created_at: string; updated_at: string };
  return { ...contact, created_at: new Date(created_at).toISOString(), updated_at: new Date(updated_at).toISOString() };
}
