import { ApplicationFailure, Context } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { badDataMessage } from '../db/errors.ts';
import type { EntityManager, MikroORM } from '../db/orm.ts';
import { holdStands } from '../db/queries/sends/send-intents.ts';
import { loadGraph } from '../db/queries/sequences/sequences.ts';
import { holdEnrollment, releaseHold } from '../db/queries/sequences/step-holds.ts';
import { type SendStep, sendStepOf } from '../db/queries/sequences/step-visits.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { errorText } from '../domain/sends/send.ts';
import { nodeOf } from '../domain/sequences/graph.ts';
import { shownReply, shownWords } from '../domain/shown-text.ts';
import type { SafeHttp } from '../platform/http/safe-http.ts';
import type { TemplateRegistry } from '../sending/compose/template-registry.ts';
import type { LocalActivitySlots } from '../sending/local-activity-slots.ts';
import type { Sending } from '../sending/sending.ts';
import type { StepRequest } from '../sending/sources/step.ts';
import { advanceEnrollment } from '../usecases/sequences/advance-enrollment.ts';
import { endEnrollment } from '../usecases/sequences/end-enrollment.ts';
import type { FairSlots } from '../webhooks/fair-slots.ts';
import type { NodeCalls } from '../webhooks/node-calls.ts';
import {
  type CallInput,
  type EnrollmentCommand,
  type EnrollmentInput,
  SEND_FAILED,
  type SendInput,
  type SendStepResult,
  type StepReport,
} from '../workflows/contracts.ts';
import { callWebhook } from './webhook-node.ts';

export interface EnrollmentActivityDeps {
  readonly orm: MikroORM;
  readonly sending: Sending;
  readonly registry: TemplateRegistry;
  readonly vault: Vault;
  readonly http: SafeHttp;
  /** For calls of webhook nodes, beside those of deliveries. */
  readonly slots: FairSlots;
  readonly calls: NodeCalls;
  /** For mails that go within the workflow task that asks for them. */
  readonly localSlots: LocalActivitySlots;
  /** Called when a step of a run begins. */
  readonly yieldToRuns: () => void;
  readonly webhookRetryBaseSeconds: number;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** What the enrollment workflow may ask for. */
export function createEnrollmentActivities(deps: EnrollmentActivityDeps) {
  const { orm, sending, registry, vault, http, slots, calls, localSlots, yieldToRuns, webhookRetryBaseSeconds, now, newId } = deps;

  const advance = (em: EntityManager, enrollmentId: string, report: StepReport | undefined): Promise<EnrollmentCommand> =>
    advanceEnrollment(em, { enrollmentId, report, now: now(), newId, firstRetrySeconds: webhookRetryBaseSeconds / 4 });

  const stepRequest = async (em: EntityManager, visit: SendStep, outages: number): Promise<StepRequest | undefined> => {
    const graph = await loadGraph(em, visit.sequence_id, visit.sequence_version);
    const node = nodeOf(graph, visit.node_id);
    if (node?.kind !== 'send_email') return undefined;
    const { template, type, brand, subject, data = {} } = node.config;
    return {
      projectId: visit.project_id,
      template,
      entry: await registry.find(em, { id: visit.project_id, slug: visit.project_slug }, template),
      recipient: { contactId: visit.contact_id },
      type,
      brand,
      subject,
      data,
      event: visit.event_data ?? {},
      from: undefined,
      sourceId: visit.sequence_id,
      identity: { by: 'visit', enrollmentId: visit.enrollment_id, nodeId: visit.node_id, visit: visit.visit },
      cap: graph.frequencyCap ?? undefined,
      now: now(),
      outages,
      outageMs: visit.outage_ms,
      cappedAt: visit.capped_at,
    };
  };

  /** Sends the mail of one visit, once whatever is retried: the visit is the send's key; then says what comes next. */
  const sendMail = async ({ enrollmentId, step, outages }: SendInput): Promise<SendStepResult> => {
    const em = orm.em.fork();
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
    if (visit.waiting_for !== null) await releaseHold(em, enrollmentId, step, now());
    const request = await stepRequest(em, visit, outages);
    if (!request) return failed(`the node ${visit.node_id} sends nothing`);
    const result = await sending.sendStep(request).catch((error: unknown) => {
      const problem = badDataMessage(error);
      if (problem === undefined) throw error;
      return { state: 'failed', reason: 'render_failed', message: `could not be stored: ${problem}` } as const;
    });
    switch (result.state) {
      case 'sent':
        return done('sent', `send ${result.sendId}`);
      case 'skipped':
        return done('skipped', result.reason);
      case 'failed':
        return failed(errorText(result.reason, result.message));
      case 'in_progress':
        throw ApplicationFailure.create({
          // As histories and earlier releases have it.
          type: 'in_doubt',
          category: ApplicationFailureCategory.BENIGN,
          message: 'an earlier attempt has no outcome yet',
          nextRetryDelay: result.retryAfterSeconds * 1000,
        });
      case 'held': {
        const { by: heldBy, until, message } = result;
        await holdEnrollment(em, { enrollmentId, step, heldBy, until, now: now() });
        if (until === null && !(await holdStands(em, enrollmentId)))
          throw ApplicationFailure.create({
            type: 'hold_ended',
            category: ApplicationFailureCategory.BENIGN,
            message: 'what held the step ended meanwhile',
            nextRetryDelay: 1,
          });
        return { done: false, heldBy, until: until?.getTime() ?? null, ...(message === undefined ? {} : { detail: message }) };
      }
      case 'ended':
        return { done: false, heldBy: null };
      default:
        return result satisfies never;
    }
  };

  return {
    /** Records how the last command ended and says what comes next. Asking again gives the same command again. */
    async nextStep({ enrollmentId, report }: EnrollmentInput & { report?: StepReport }): Promise<EnrollmentCommand> {
      yieldToRuns();
      return advance(orm.em.fork(), enrollmentId, report);
    },

    /**
     * Sends the mail of one visit within the workflow task that asks for it, where a slot is free at once: a mail then costs the server no
     * task of its own. null: it goes through the queue. `outages`: how often in a row the provider was away. Fails with SEND_FAILED when the
     * mail did, which is recorded then.
     */
    async sendWithTask(input: SendInput): Promise<SendStepResult | null> {
      const release = localSlots.tryTake();
      if (!release) return null;
      try {
        return await sendMail(input);
      } finally {
        release();
      }
    },

    /** Sends the mail of one visit that waited in line. Fails retryably while an earlier attempt has no outcome yet, and with SEND_FAILED when the mail did. */
    sendSequenceEmail(input: SendInput): Promise<SendStepResult> {
      yieldToRuns();
      return sendMail(input);
    },

    /** Calls the address of a webhook node. */
    async callWebhook({ enrollmentId, step, pauseMs, triesBefore = 0 }: CallInput): Promise<StepReport> {
      const triesMade = Context.current().info.attempt - 1;
      const plannedAt = (): Date | null => (pauseMs === null ? null : new Date(now().getTime() + (pauseMs ?? 0)));
      return callWebhook(
        {
          ...{ em: orm.em.fork(), http, slots, vault, calls, now, triesMade, triesBefore },
          nextTryAt: pauseMs === undefined ? () => nextTryAt(now()) : plannedAt,
        },
        { enrollmentId, step },
      );
    },

    /** An operator cancelled the workflow: the row follows at once. */
    async endCancelled({ enrollmentId }: EnrollmentInput): Promise<void> {
      await orm.em.fork().transactional((tx) => endEnrollment(tx, enrollmentId, 'cancelled', now()));
    },
  };
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

/** As the retry policy of the running activity plans it; null after its last try. */
function nextTryAt(now: Date): Date | null {
  const { attempt, retryPolicy } = Context.current().info;
  const { initialInterval, backoffCoefficient = 1, maximumAttempts } = retryPolicy ?? {};
  if (typeof initialInterval !== 'number' || (maximumAttempts !== undefined && attempt >= maximumAttempts)) return null;
  return new Date(now.getTime() + initialInterval * backoffCoefficient ** (attempt - 1));
}

export type EnrollmentActivities = ReturnType<typeof createEnrollmentActivities>;
