import type { EntityManager } from '../../db/orm.ts';
import {
  type ConfirmationFacts,
  confirmationFacts,
  expireConfirmation,
  isPrunable,
  noteConfirmationMail,
} from '../../db/queries/contacts/confirmations.ts';
import { confirmUrl } from '../../domain/contacts/confirm-token.ts';
import { CONFIRMATION_TEMPLATE, type ConfirmationStep, nextConfirmationStep } from '../../domain/contacts/confirmation.ts';
import { Refusal } from '../../domain/errors.ts';
import { sha256, type Vault } from '../../domain/projects/crypto.ts';
import { sealedOf } from '../../domain/projects/sealed.ts';
import { grouped, shownInstant } from '../../domain/shown-text.ts';
import type { TemplateRegistry } from '../../sending/compose/template-registry.ts';
import type { Sending } from '../../sending/sending.ts';
import type { ConfirmationRequest } from '../../sending/sources/confirmation.ts';
import type { ConfirmationReport } from '../../workflows/contracts.ts';
import { awaitMailsInFlight } from '../sends/await-mails-in-flight.ts';
import { beginErasure, finishErasure } from './erase-contact.ts';

export interface ConfirmationDeps {
  readonly sending: Pick<Sending, 'sendConfirmation'>;
  readonly registry: TemplateRegistry;
  readonly vault: Vault;
  readonly publicUrl: string;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** What holds a mail is looked for so often: nobody tells when a template is enabled, or a sender set. */
const HELD_RECHECK_MS = 60_000;

/** A wait looks again so often, should its signal ever be lost, or its brand ask otherwise. */
const WAIT_RECHECK_MS = 6 * 3_600_000;

/** Does what a confirmation needs now: a mail, a reminder, or its end. Says for what it waits then. */
export async function advanceConfirmation(em: EntityManager, deps: ConfirmationDeps, id: string): Promise<ConfirmationReport> {
  for (;;) {
    const facts = await confirmationFacts(em, id);
    if (!facts) return { state: 'over', said: 'the contact was erased' };
    const now = deps.now();
    const step = nextConfirmationStep(facts, facts, now);
    switch (step.kind) {
      case 'over':
        return { state: 'over', said: `${facts.state}, after ${mailsOf(facts)}` };
      case 'wait': {
        const said = `${WAITS_FOR[step.forWhat](mailsOf(facts))} at ${shownInstant(step.until.getTime())}`;
        return { state: 'waiting', nextInMs: Math.min(step.until.getTime() - now.getTime(), WAIT_RECHECK_MS), said };
      }
      case 'expire':
        return { state: 'over', said: await end(em, deps, facts) };
      case 'mail': {
        const report = await sendMail(em, deps, facts, now);
        if (report) return report;
        break;
      }
      default:
        return step satisfies never;
    }
  }
}

/** What comes next, said by the emails so far. */
const WAITS_FOR: Readonly<Record<Extract<ConfirmationStep, { kind: 'wait' }>['forWhat'], (mails: string) => string>> = {
  first: () => 'asked less than an hour ago; the next email',
  reminder: (mails) => `asked with ${mails}; a reminder`,
  end: (mails) => `asked with ${mails}; ends`,
};

function mailsOf({ mails, failure }: ConfirmationFacts): string {
  const count = `${grouped(mails)} ${mails === 1 ? 'email' : 'emails'}`;
  return failure === null ? count : `${count}, the last one ${failure.replaceAll('_', ' ')}`;
}

/** undefined: it has its outcome. */
async function sendMail(
  em: EntityManager,
  deps: ConfirmationDeps,
  facts: ConfirmationFacts,
  now: Date,
): Promise<ConfirmationReport | undefined> {
  if (facts.heldBy !== null) return held(now, facts.heldBy);
  try {
    const result = await deps.sending.sendConfirmation(await requestOf(em, deps, facts, now));
    if (result.state === 'later') return retrying(now, result.seconds, `put off: ${result.message}`);
    if (result.state === 'withdrawn') return retrying(now, 1, 'it was answered meanwhile');
    await noteConfirmationMail(em, facts, result.state === 'failed' ? result.reason : null);
    return undefined;
  } catch (error) {
    // Template, brand or sender: it goes when these are set.
    if (error instanceof Refusal) return held(now, error.code);
    throw error;
  }
}

function held(now: Date, reason: string): ConfirmationReport {
  const said = `held: ${reason.replaceAll('_', ' ')}; looked at again at ${shownInstant(now.getTime() + HELD_RECHECK_MS)}`;
  return { state: 'held', nextInMs: HELD_RECHECK_MS, said };
}

function retrying(now: Date, seconds: number, why: string): ConfirmationReport {
  const nextInMs = seconds * 1000;
  return { state: 'retrying', nextInMs, said: `${why}; tried again at ${shownInstant(now.getTime() + nextInMs)}` };
}

async function requestOf(em: EntityManager, deps: ConfirmationDeps, facts: ConfirmationFacts, now: Date): Promise<ConfirmationRequest> {
  const { id, project_id: projectId, contact_id: contactId, project_slug: slug, round, mails, asked_at, brand_id } = facts;
  const template = facts.confirm_template ?? CONFIRMATION_TEMPLATE;
  const key = `confirmation/${id}/${round}/${mails}`;
  const secret = deps.vault.open(facts.sealed_link_secret, sealedOf.linkSecret(projectId));
  const dueAt = asked_at.getTime() + (mails === 0 ? 0 : (facts.confirm_reminders[mails - 1] ?? 0) * 3_600_000);
  return {
    projectId,
    template,
    entry: await deps.registry.find(em, { id: projectId, slug }, template),
    recipient: { contactId },
    type: 'transactional',
    isUntracked: true,
    brand: brand_id,
    subject: undefined,
    data: { confirmUrl: confirmUrl(deps.publicUrl, secret, id), isReminder: mails > 0 },
    event: undefined,
    from: undefined,
    sourceId: id,
    identity: { by: 'key', key, requestHash: sha256(key) },
    overdueMs: Math.max(0, now.getTime() - dueAt),
  };
}

/** Who has left no other trace is erased; who has stays, without marketing mail. */
async function end(em: EntityManager, deps: ConfirmationDeps, facts: ConfirmationFacts): Promise<string> {
  const { id, project_id: projectId, contact_id: contactId, confirm_prune_days: days } = facts;
  if (days !== null) {
    const erased = await beginErasure(em, projectId, contactId, (tx) => isPrunable(tx, facts));
    if (erased) {
      await awaitMailsInFlight(em, { erased });
      await finishErasure(em, erased, deps.newId());
      return `not confirmed after ${days} days: the contact was erased`;
    }
  }
  await expireConfirmation(em, id);
  return 'not confirmed in time: the contact stays without marketing emails';
}
