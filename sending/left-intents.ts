import type { EntityManager, MikroORM } from '../db/orm.ts';
import { type LeftIntent, leftIntents, neededJournals, withdrawSend } from '../db/queries/sends/send-intents.ts';
import { type LeftState, leftState, OUTCOME_UNKNOWN, type SubmissionState } from '../domain/sends/outcome-unknown.ts';
import type { SendOutcome } from '../domain/sends/send.ts';
import { OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../domain/sends/submission-times.ts';
import { every, type Repeating } from '../platform/every.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { NOT_SUBMITTED } from './journal/format.ts';
import type { JournalReading, Journals } from './journal/read-journals.ts';
import { type ReportBounce, writeSendOutcomes } from './write-outcomes.ts';

/** What decides about an intent whose process did not settle it. */
export interface LeftIntentRules {
  readonly journals: Journals;
  /** Whether the provider deduplicates by the id of a send. */
  readonly deduplicates: boolean;
}

/** The same with what follows from an outcome that such an intent gets. */
export interface SettlingRules extends LeftIntentRules {
  readonly reportBounce: ReportBounce;
}

/** Of a mail whose process cannot be asked. */
export function stateIn(journal: JournalReading | undefined, sendId: string): SubmissionState {
  return journal?.(sendId) ?? { state: 'unknown' };
}

/** The same by the journal that it names. Of one that was to stay here no provider was asked, whatever became of the journal. */
export async function stateOf(
  journals: Pick<Journals, 'read'>,
  { id, journal, isSandboxed }: Pick<LeftIntent, 'id' | 'journal' | 'isSandboxed'>,
): Promise<SubmissionState> {
  return isSandboxed ? NOT_SUBMITTED : stateIn(await journals.read(journal), id);
}

export interface LeftIntentSweeperDeps extends SettlingRules {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'sendsLeftUnknown'>;
  /** Open batches of campaigns whose process died: settles them, and returns how many of their mails stay of unknown outcome. */
  readonly batches: { settleAll(em: EntityManager): Promise<number> };
}

const EVERY_MS = 15_000;
const AT_ONCE = 500;

/** Gives sends that a crash left without an outcome their row, so that none disappears: docs/contract/sends.md 14, 18. */
export function startLeftIntentSweeper({ orm, log, metrics, batches, ...rules }: LeftIntentSweeperDeps): Repeating {
  const sweep = async (): Promise<void> => {
    const em = orm.em.fork();
    const ofCalls = await settleIntents(em, rules);
    metrics.sendsLeftUnknown(ofCalls);
    const unknown = ofCalls + (await batches.settleAll(em));
    if (unknown > 0) log.warn('sends.outcome_unknown', { count: unknown });
    await rules.journals.prune((ids) => neededJournals(em, ids));
  };
  return every(EVERY_MS, sweep, (error) => log.warn('sends.sweep_failed', { error }));
}

/**
 * Settles the intents that nobody came back for. Whoever may settle one by a retry has its chance first, so those that may go again are left
 * alone for a while. Returns of how many the outcome stays unknown.
 */
export async function settleIntents(em: EntityManager, { journals, deduplicates, reportBounce }: SettlingRules): Promise<number> {
  let unknown = 0;
  let after: LeftIntent | null = null;
  for (let found = AT_ONCE; found === AT_ONCE; ) {
    const batch: LeftIntent[] = await leftIntents(em, { ageMs: OUTCOME_UNKNOWN_AFTER_MS, limit: AT_ONCE, after });
    const readings = new Map<string | null, JournalReading | undefined>();
    for (const { journal } of batch) if (!readings.has(journal)) readings.set(journal, await journals.read(journal));
    for (const intent of batch) {
      const left = leftState(await stateOf({ read: async (id) => readings.get(id) }, intent), intent, deduplicates);
      if (await settleIntent(em, intent, left, reportBounce)) unknown++;
    }
    after = batch.at(-1) ?? null;
    found = batch.length;
  }
  return unknown;
}

/** Whether its outcome stays unknown. */
async function settleIntent(
  em: EntityManager,
  { id, openedAt, isOfVisit, comesAgain, ageMs }: LeftIntent,
  left: LeftState,
  reportBounce: ReportBounce,
): Promise<boolean> {
  const close = (outcome: SendOutcome): Promise<unknown> => writeSendOutcomes(em, [{ id, outcome, hasWebhooks: true }], reportBounce);
  const hadItsChance = ageMs >= SETTLED_AFTER_MS;
  switch (left.state) {
    case 'answered':
      await close(left.outcome);
      return false;
    case 'clean':
      if (!hadItsChance) return false;
      // A run that stands at it asks for it again by itself, and one that does not wants it no more; whoever called has gone.
      if (isOfVisit) await withdrawSend(em, id, { at: openedAt });
      else await close(NEVER_SUBMITTED);
      return false;
    case 'same key':
      // Whoever has its key may ask for it again, for as long as the provider keeps that, and finds its row until then.
      if (comesAgain || !hadItsChance) return false;
      await close(OUTCOME_UNKNOWN);
      return true;
    case 'unknown':
      if (hadItsChance) await close(left.outcome);
      return hadItsChance;
    default:
      return left satisfies never;
  }
}

/** Of a mail whose process ended before it submitted it. Its key is free again. */
const NEVER_SUBMITTED: SendOutcome = {
  status: 'failed',
  reason: 'provider_unavailable',
  message: 'not submitted: the process that had accepted it ended before',
};
