/** Mails to it never leave. Nobody can own it: names below `test` are reserved (RFC 6761). */
export const SANDBOX_DOMAIN = 'everpost.test';

/** What becomes of a mail that does not leave: the reports that follow its outcome. */
export type SandboxReport = 'delivered' | 'bounced' | 'complained' | 'opened' | 'clicked';

/** What is reported of one recipient. */
export interface SandboxReported {
  readonly report: SandboxReport;
  /** The link that is clicked. */
  readonly url?: string;
  /** Of a copy; absent: of `to`. */
  readonly copy?: string;
}

/** What of a mail could be counted. */
export interface Countable {
  /** Its opens and clicks are. */
  readonly isTracked: boolean;
  /** Its first link that is counted. */
  readonly firstLink?: string | undefined;
}

/** The local part whose recipient counts as suppressed. */
export const SUPPRESSED_PART = 'suppressed';

/** What a provider would give as its name for a report. */
export const SANDBOX_PROVIDER = 'sandbox';

/** Whether mails to a normalized address never leave, whatever the project. */
export function isSandboxAddress(email: string): boolean {
  return email.endsWith(`@${SANDBOX_DOMAIN}`);
}

/** Whether a normalized address plays the part of one that is suppressed. In SQL: db/queries/sends/permission.ts. */
export function playsSuppressed(email: string): boolean {
  return partOf(email) === SUPPRESSED_PART;
}

/** Whether the recipient at a normalized address clicks. */
export function playsClicked(email: string): boolean {
  return partOf(email) === 'clicked';
}

/** What is reported, in this order, of a mail to a normalized address that does not leave: what the address plays, delivered to any other. */
export function sandboxReports(email: string, { isTracked, firstLink }: Countable): SandboxReported[] {
  const part = partOf(email);
  if (part === 'bounced' || part === 'complained') return [{ report: part }];
  const reports: SandboxReported[] = [{ report: 'delivered' }];
  if (isTracked && (part === 'opened' || part === 'clicked')) reports.push({ report: 'opened' });
  if (firstLink !== undefined && part === 'clicked') reports.push({ report: 'clicked', url: firstLink });
  return reports;
}

/** The same of one who gets a copy. */
export function reportsOfCopy(copy: string, countable: Countable): SandboxReported[] {
  return sandboxReports(copy, countable).map((reported) => ({ ...reported, copy }));
}

/** The local part of a reserved address without its label. */
function partOf(email: string): string | undefined {
  return isSandboxAddress(email) ? /^[^+@]*/.exec(email)?.[0] : undefined;
}

/** The made-up id of a mail that no provider has. */
export function sandboxProviderId(sendId: string): string {
  return `sandbox-${sendId}`;
}
