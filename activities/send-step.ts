import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { badDataMessage } from '../db/errors.ts';
import type { EntityManager } from '../db/orm.ts';
import { digestBefore } from '../db/queries/sequences/digests.ts';
import { loadGraph } from '../db/queries/sequences/sequences.ts';
import { holdEnrollment, holdStands, releaseHold, windowStands } from '../db/queries/sequences/step-holds.ts';
import { type SendStep, sendStepOf } from '../db/queries/sequences/step-visits.ts';
import { openingAt, windowOf, windowWait, zoneOfWindow } from '../domain/send-window.ts';
import { errorText } from '../domain/sends/send.ts';
import { detailsOfTopic } from '../domain/sends/send-details.ts';
import { nodeOf, type SequenceGraph } from '../domain/sequences/graph.ts';
import { shownReply, shownWords } from '../domain/shown-text.ts';
import type { TemplateRegistry } from '../sending/compose/template-registry.ts';
import type { Sending } from '../sending/sending.ts';
import type { StepRequest, StepResult } from '../sending/sources/step.ts';
import { type EnrollmentCommand, SEND_FAILED, type SendInput, type SendStepResult, type StepReport } from '../workflows/contracts.ts';

export interface SendStepDeps {
  readonly em: EntityManager;
  readonly sending: Sending;
  readonly registry: TemplateRegistry;
  /** Records how the step ended, if it did, and says what comes next. */
  readonly advance: (em: EntityManager, enrollmentId: string, report: StepReport | undefined) => Promise<EnrollmentCommand>;
}

/**
 * Sends the mail of one visit, once whatever is retried: the visit is the send's key; then says what comes next. Fails retryably while an earlier
 * attempt has no outcome, and with SEND_FAILED when the mail did, which is recorded then.
 */
export async function sendStep(deps: SendStepDeps, { enrollmentId, step, outages }: SendInput): Promise<SendStepResult> {
  const { em, advance } = deps;
  const visit = await sendStepOf(em, enrollmentId, step);
  if (visit?.status !== 'active') return { done: false, heldBy: null };
  // Done before a reset, or by an attempt whose answer was lost.
  if (visit.outcome !== null) return { done: true, next: await advance(em, enrollmentId, undefined) };
  const done = async (outcome: 'sent' | 'skipped', detail: string): Promise<SendStepResult> => ({
    done: true,
    outcome,
    detail: shownWords(detail),
    next: await advance(em, enrollmentId, { step, outcome, detail }),
  });
  const failed = async (detail: string): Promise<never> => {
    const next = await advance(em, enrollmentId, { step, outcome: 'failed', detail });
    throw sendFailure(shownReply(detail, visit.email), next);
  };
  if (visit.waiting_for !== null) await releaseHold(em, enrollmentId, step, visit.now);
  const request = await requestOf(deps, visit, { step, outages });
  if (!request) return failed(`the node ${visit.node_id} sends nothing`);
  const result = await sendStorable(deps, request);
  switch (result.state) {
    case 'sent':
      return done('sent', `send ${result.sendId}`);
    case 'skipped':
      return done('skipped', result.reason);
    case 'failed':
      return failed(errorText(result.reason, result.message));
    case 'in_progress':
      // The type is the one that histories and earlier releases have.
      throw comeAgain('in_doubt', 'an earlier attempt has no outcome yet', result.retryAfterSeconds * 1000);
    case 'held':
      return hold(deps, { enrollmentId, step, visit }, result);
    case 'ended':
      return { done: false, heldBy: null };
    default:
      return result satisfies never;
  }
}

/** What the node asks for; undefined when it is none that sends. */
async function requestOf(
  { em, registry }: SendStepDeps,
  visit: SendStep,
  { step, outages }: Pick<SendInput, 'step' | 'outages'>,
): Promise<StepRequest | undefined> {
  const graph = await loadGraph(em, visit.sequence_id, visit.sequence_version);
  const node = nodeOf(graph, visit.node_id);
  if (node?.kind !== 'send_email') return undefined;
  const { template, type, brand, topic, subject, data = {} } = node.config;
  const digest = visit.has_gathered ? await digestBefore(em, { enrollmentId: visit.enrollment_id, step }) : undefined;
  return {
    projectId: visit.project_id,
    template,
    entry: await registry.find(em, { id: visit.project_id, slug: visit.project_slug }, template),
    recipient: { contactId: visit.contact_id },
    type,
    brand,
    subject,
    data: digest ? { ...data, digest } : data,
    event: visit.event_data ?? {},
    from: undefined,
    sourceId: visit.sequence_id,
    identity: { by: 'visit', enrollmentId: visit.enrollment_id, nodeId: visit.node_id, visit: visit.visit, step: visit.step },
    isSandboxed: visit.sandboxed,
    cap: graph.frequencyCap ?? undefined,
    window: windowFor(graph, visit),
    details: detailsOfTopic(topic),
    now: visit.now,
    outages,
    outageMs: visit.outage_ms,
    cappedAt: visit.capped_at,
  };
}

/** The opening that counts for the mail of a visit; undefined: it waits for no window. */
function windowFor({ sendWindow }: SequenceGraph, { send_window, timezone, now }: SendStep): StepRequest['window'] {
  const window = windowOf(sendWindow, send_window);
  if (!window) return undefined;
  const zone = zoneOfWindow(window, timezone);
  return { ...openingAt(window, zone, now), transactional: window.transactional, words: windowWait(window, zone) };
}

/** What the database refuses of this mail's data would be refused again: the mail has failed. */
async function sendStorable({ sending }: SendStepDeps, request: StepRequest): Promise<StepResult> {
  try {
    return await sending.sendStep(request);
  } catch (error) {
    const problem = badDataMessage(error);
    if (problem === undefined) throw error;
    return { state: 'failed', reason: 'render_failed', message: `could not be stored: ${problem}` };
  }
}

async function hold(
  { em }: SendStepDeps,
  { enrollmentId, step, visit }: Pick<SendInput, 'enrollmentId' | 'step'> & { readonly visit: SendStep },
  { by: heldBy, until, message }: Extract<StepResult, { state: 'held' }>,
): Promise<SendStepResult> {
  const detail = heldBy === 'send_window' ? message : undefined;
  await holdEnrollment(em, { enrollmentId, step, heldBy, until, detail, now: visit.now });
  const stands =
    heldBy === 'send_window' ? await windowStands(em, enrollmentId, visit) : until !== null || (await holdStands(em, enrollmentId));
  if (!stands) throw comeAgain('hold_ended', 'what held the step ended meanwhile', 1);
  return { done: false, heldBy, until: until?.getTime() ?? null, ...(message === undefined ? {} : { detail: message }) };
}

/** The activity is tried again then, which is no fault of anybody. */
function comeAgain(type: string, message: string, milliseconds: number): ApplicationFailure {
  return ApplicationFailure.create({ type, category: ApplicationFailureCategory.BENIGN, message, nextRetryDelay: milliseconds });
}

/** Benign, since it is the tenant's affair and no fault of a worker. `shown`: to operators. */
function sendFailure(shown: string, next: EnrollmentCommand): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  const failure = ApplicationFailure.create({
    type: SEND_FAILED,
    message: shown,
    nonRetryable: true,
    category,
    details: [next],
  });
  // It would only make the history long: nobody looks for the reason in the code.
  failure.stack = '';
  return failure;
}
