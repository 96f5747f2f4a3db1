import {
  type Countable,
  isSandboxAddress,
  reportsOfCopy,
  type SandboxReported,
  sandboxProviderId,
  sandboxReports,
} from '../domain/sends/sandbox.ts';
import type { SendOutcome } from '../domain/sends/send.ts';
import { copiesGoing } from '../domain/sends/send-details.ts';
import type { Item } from './batch-item.ts';
import type { MailRequest } from './request.ts';

type ReportedItem = Pick<Item<MailRequest, unknown>, 'plan' | 'details' | 'firstLink'>;
type SandboxFacts = Pick<Item<MailRequest, unknown>, 'request' | 'facts' | 'plan' | 'mayBeSubmitted'>;

/**
 * Whether a mail must not leave: it was asked for with a test key, its project is a sandbox, its address is a reserved one, or it was opened so
 * before.
 */
export function staysHere({ request, facts, plan }: Omit<SandboxFacts, 'mayBeSubmitted'>): boolean {
  if (request.isSandboxed || facts.setting?.isSandbox || facts.known?.isSandboxed) return true;
  return plan !== undefined && isSandboxAddress(plan.to);
}

/** The same of one that surely never left before either, so that its row may say so. */
export function isSandboxed(item: SandboxFacts): boolean {
  return !item.mayBeSubmitted && staysHere(item);
}

/** What a provider would answer, and report later, that takes every mail. */
export function sandboxOutcome(item: ReportedItem & Pick<Item<MailRequest, unknown>, 'sendId'>): SendOutcome {
  const { sendId, plan, details = {} } = item;
  const countable = countableOf(item);
  const reports = [...sandboxReports(plan?.to ?? '', countable), ...copiesGoing(details).flatMap((copy) => reportsOfCopy(copy, countable))];
  return { status: 'sent', providerId: sandboxProviderId(sendId), sandboxReports: reports };
}

/** What is reported of the copies to reserved addresses of a mail that left for others; empty: it has none. */
export function reservedCopies(item: ReportedItem): { readonly sandboxReports?: readonly SandboxReported[] } {
  const reserved = item.details ? copiesGoing(item.details).filter(isSandboxAddress) : [];
  if (reserved.length === 0) return {};
  const countable = countableOf(item);
  return { sandboxReports: reserved.flatMap((copy) => reportsOfCopy(copy, countable)) };
}

function countableOf({ plan, firstLink }: ReportedItem): Countable {
  return { isTracked: plan?.isTracked ?? false, firstLink };
}
