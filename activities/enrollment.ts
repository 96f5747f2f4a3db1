import { Context } from '@temporalio/activity';
import type { EntityManager, MikroORM } from '../db/orm.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import type { SafeHttp } from '../platform/http/safe-http.ts';
import type { Slots } from '../platform/slots.ts';
import type { TemplateRegistry } from '../sending/compose/template-registry.ts';
import type { Sending } from '../sending/sending.ts';
import { advanceEnrollment } from '../usecases/sequences/advance-enrollment.ts';
import { endEnrollment } from '../usecases/sequences/end-enrollment.ts';
import type { FairSlots } from '../webhooks/fair-slots.ts';
import type { NodeCalls } from '../webhooks/node-calls.ts';
import type { CallInput, EnrollmentCommand, EnrollmentInput, SendInput, SendStepResult, StepReport } from '../workflows/contracts.ts';
import { sendStep } from './send-step.ts';
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
  /** Of the sends that a process makes at once (SEND_CONCURRENCY), those that may go within the workflow task that asks for them. */
  readonly localSlots: Slots;
  /** Called when a step of a run begins. */
  readonly yieldToRuns: () => void;
  /** The first pause of the call of a webhook node. */
  readonly webhookNodeRetryBaseSeconds: number;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** What the enrollment workflow may ask for. */
export function createEnrollmentActivities(deps: EnrollmentActivityDeps) {
  const { orm, sending, registry, vault, http, slots, calls, localSlots, yieldToRuns, webhookNodeRetryBaseSeconds, now, newId } = deps;

  const advance = (em: EntityManager, enrollmentId: string, report: StepReport | undefined): Promise<EnrollmentCommand> =>
    advanceEnrollment(em, { enrollmentId, report, now: now(), newId, firstRetrySeconds: webhookNodeRetryBaseSeconds });

  const sendMail = (input: SendInput): Promise<SendStepResult> => sendStep({ em: orm.em.fork(), sending, registry, advance }, input);

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
      yieldToRuns();
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

/** As the retry policy of the running activity plans it; null after its last try. */
function nextTryAt(now: Date): Date | null {
  const { attempt, retryPolicy } = Context.current().info;
  const { initialInterval, backoffCoefficient = 1, maximumAttempts } = retryPolicy ?? {};
  if (typeof initialInterval !== 'number' || (maximumAttempts !== undefined && attempt >= maximumAttempts)) return null;
  return new Date(now.getTime() + initialInterval * backoffCoefficient ** (attempt - 1));
}

export type EnrollmentActivities = ReturnType<typeof createEnrollmentActivities>;
