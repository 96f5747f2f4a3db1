import { isSandboxAddress, reportOfCopy, type SandboxReported, sandboxProviderId, sandboxReport } from '../domain/sends/sandbox.ts';
import type { SendOutcome } from '../domain/sends/send.ts';
import { copiesGoing } from '../domain/sends/send-details.ts';
import type { Item } from './batch-item.ts';
import type { MailRequest } from './request.ts';

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
export function sandboxOutcome({
  sendId,
  plan,
  details = {},
}: Pick<Item<MailRequest, unknown>, 'sendId' | 'plan' | 'details'>): SendOutcome {
  const sandboxReports = [{ report: sandboxReport(plan?.to ?? '') }, ...copiesGoing(details).map(reportOfCopy)];
  return { status: 'sent', providerId: sandboxProviderId(sendId), sandboxReports };
}

/** What is reported of the copies to reserved addresses of a mail that left for others; empty: it has none. */
export function reservedCopies({ details }: Pick<Item<MailRequest, unknown>, 'details'>): {
  readonly sandboxReports?: readonly SandboxReported[];
} {
  const reserved = details ? copiesGoing(details).filter(isSandboxAddress) : [];
  return reserved.length > 0 ? { sandboxReports: reserved.map(reportOfCopy) } : {};
}
