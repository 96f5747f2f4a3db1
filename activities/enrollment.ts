import { ApplicationFailure } from '@temporalio/activity';
import type { EntityManager, MikroORM } from '../db/orm.ts';
import { advanceEnrollment } from '../db/queries/enrollment-steps.ts';
import { endEnrollment, holdEnrollment, releaseHold, type SendStep, sendStepOf } from '../db/queries/enrollments.ts';
import { closeSend, holdStands, recordUnsendable, withdrawSend } from '../db/queries/sends.ts';
import { readGraph } from '../db/queries/sequences.ts';
import type { Vault } from '../domain/crypto.ts';
import { Refusal } from '../domain/errors.ts';
import { errorText, type SendFailure } from '../domain/send.ts';
import { nodeOf } from '../domain/sequence/interpret.ts';
import type { SafeHttp } from '../platform/http/safe-http.ts';
import type { Mailer, SendResult } from '../platform/mail/deliver.ts';
import type { TemplateRegistry } from '../platform/template-registry.ts';
import type { EnrollmentCommand, EnrollmentInput, HoldReason, SendStepResult, StepReport } from '../workflows/contracts.ts';
import { callWebhook } from './webhook-node.ts';

export interface EnrollmentActivityDeps {
  readonly orm: MikroORM;
  readonly mailer: Mailer;
  readonly registry: TemplateRegistry;
  readonly vault: Vault;
  readonly http: SafeHttp;
  readonly webhookRetryBaseSeconds: number;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** What POST /send refuses, a step records as its failure. */
const UNSENDABLE: readonly string[] = ['unknown_template', 'template_not_enabled', 'no_brand', 'invalid_from'] satisfies SendFailure[];

/** What the enrollment workflow may ask for. */
export function createEnrollmentActivities(deps: EnrollmentActivityDeps) {
  const { orm, mailer, registry, vault, http, webhookRetryBaseSeconds, now, newId } = deps;

  const advance = (em: EntityManager, enrollmentId: string, report: StepReport | undefined): Promise<EnrollmentCommand> =>
    advanceEnrollment(em, { enrollmentId, report, now: now(), newId, firstRetrySeconds: webhookRetryBaseSeconds / 4 });

  const sendStep = async (em: EntityManager, step: SendStep): Promise<SendResult> => {
    const graph = await readGraph(em, step.sequence_id, step.sequence_version);
    const node = nodeOf(graph, step.node_id);
    if (node?.kind !== 'send_email') throw ApplicationFailure.nonRetryable(`the node ${step.node_id} sends nothing`);
    const identity = {
      by: 'visit',
      enrollmentId: step.enrollment_id,
      nodeId: step.node_id,
      visit: step.visit,
      reachedAt: step.at,
      cap: graph.frequencyCap,
    } as const;
    const source = { sourceType: 'sequence', sourceId: step.sequence_id } as const;
    const entry = registry.get(node.config.template);
    try {
      if (!entry || !registry.isFor(entry, step.project_slug))
        throw new Refusal('unknown_template', 'the template is not in the registry any more');
      return await mailer.send(em, {
        projectId: step.project_id,
        entry,
        recipient: { contactId: step.contact_id },
        type: node.config.type,
        brand: node.config.brand,
        subject: node.config.subject,
        data: node.config.data ?? {},
        event: step.event_data ?? {},
        from: undefined,
        ...source,
        identity,
      });
    } catch (error) {
      if (!(error instanceof Refusal) || !UNSENDABLE.includes(error.code)) throw error;
      const reason = error.code as SendFailure;
      const intent = {
        id: newId(),
        projectId: step.project_id,
        contactId: step.contact_id,
        brandId: node.config.brand ?? step.brand_id,
        toEmail: step.email,
        template: node.config.template,
        type: node.config.type ?? entry?.type ?? 'marketing',
        ...source,
        identity,
        now: now(),
      };
      const opened = await recordUnsendable(em, intent, reason, error.message);
      if (opened.state === 'held' || opened.state === 'ended' || opened.state === 'capped') return opened;
      if (opened.state === 'refused') return { state: 'failed', sendId: intent.id, reason: opened.reason, message: '', replayed: false };
      return { state: 'failed', sendId: intent.id, reason, message: error.message, replayed: false };
    }
  };

  return {
    /** Records how the last command ended and says what comes next. Asking again gives the same command again. */
    async nextStep({ enrollmentId, report }: EnrollmentInput & { report?: StepReport }): Promise<EnrollmentCommand> {
      return advance(orm.em.fork(), enrollmentId, report);
    },

    /**
     * Sends the mail of one visit, once whatever is retried: the visit is the send's key; then says what comes next, so that a mail costs
     * one task. Fails retryably while an earlier attempt is in doubt. `outages`: how often in a row the provider was away.
     */
    async sendSequenceEmail({ enrollmentId, step, outages }: EnrollmentInput & { step: number; outages: number }): Promise<SendStepResult> {
      const em = orm.em.fork();
      const visit = await sendStepOf(em, enrollmentId, step);
      if (visit?.status !== 'active') return { done: false, heldBy: null };
      const hold = async (heldBy: HoldReason, until: Date | null = null): Promise<SendStepResult> => {
        await holdEnrollment(em, enrollmentId, heldBy, until);
        return { done: false, heldBy, until: until?.getTime() ?? null };
      };
      const done = async (outcome: 'sent' | 'skipped' | 'failed', detail: string): Promise<SendStepResult> => ({
        done: true,
        next: await advance(em, enrollmentId, { step, outcome, detail }),
      });
      const outage = async ({ sendId, message, retryAfterSeconds }: Extract<SendResult, { state: 'later' }>): Promise<SendStepResult> => {
        if (now().getTime() - visit.at.getTime() >= OUTAGE_PATIENCE_MS) {
          await closeSend(em, sendId, { status: 'failed', reason: 'provider_unavailable', message, subject: '' });
          return done('failed', errorText('provider_unavailable', message));
        }
        await withdrawSend(em, sendId);
        return hold('provider_unavailable', new Date(now().getTime() + pause(outages, retryAfterSeconds)));
      };
      if (visit.waiting_for !== null) await releaseHold(em, enrollmentId);
      const result = await sendStep(em, visit);
      switch (result.state) {
        case 'capped':
          return done('skipped', 'frequency_cap');
        case 'sent':
          return done('sent', `send ${result.sendId}`);
        case 'failed':
          return isSkip(result.reason) ? done('skipped', result.reason) : done('failed', errorText(result.reason, result.message));
        case 'later':
          return outage(result);
        case 'in_progress':
          throw ApplicationFailure.create({
            type: 'in_doubt',
            message: 'an earlier attempt has no outcome yet',
            nextRetryDelay: result.retryAfterSeconds * 1000,
          });
        case 'held': {
          const held = await hold(result.by, result.until);
          if (result.by === 'frequency_cap' || (await holdStands(em, enrollmentId))) return held;
          throw ApplicationFailure.create({ type: 'hold_ended', message: 'what held the step ended meanwhile', nextRetryDelay: 1 });
        }
        case 'ended':
          return { done: false, heldBy: null };
        case 'key_reused':
          throw ApplicationFailure.nonRetryable('a step has no idempotency key of its own');
        default:
          return result satisfies never;
      }
    },

    /** Calls the address of a webhook node. */
    async callWebhook({ enrollmentId, step }: EnrollmentInput & { step: number }): Promise<StepReport> {
      return callWebhook({ em: orm.em.fork(), http, vault, now }, { enrollmentId, step });
    },

    /** An operator cancelled the workflow: the row follows at once. */
    async endCancelled({ enrollmentId }: EnrollmentInput): Promise<void> {
      await endEnrollment(orm.em.fork(), enrollmentId, 'cancelled', now());
    },
  };
}

export type EnrollmentActivities = ReturnType<typeof createEnrollmentActivities>;

/** Who may not get a mail is passed over without a row: decisions.md 9.7. */
function isSkip(reason: SendFailure): boolean {
  return reason === 'suppressed' || reason === 'unsubscribed' || reason === 'bounced';
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** A provider outage is waited out this long: decisions.md 9.7. */
const OUTAGE_PATIENCE_MS = 3 * 86_400_000;

/** Growing pauses while the provider is away: 5 s, 10 s, 20 s … at most 5 minutes, or what the provider asks for. */
function pause(outages: number, retryAfterSeconds: number | undefined): number {
  const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(outages, 10));
  return Math.min(LONGEST_PAUSE_MS, Math.max(growing, (retryAfterSeconds ?? 0) * 1000));
}
