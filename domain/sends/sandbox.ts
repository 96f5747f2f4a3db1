/** Mails to it never leave. Nobody can own it: names below `test` are reserved (RFC 6761). */
export const SANDBOX_DOMAIN = 'everpost.test';

/** What becomes of a mail that does not leave: the report that follows its outcome. */
export const SANDBOX_REPORTS = ['delivered', 'bounced', 'complained'] as const;
export type SandboxReport = (typeof SANDBOX_REPORTS)[number];

/** What is reported of one recipient. */
export interface SandboxReported {
  readonly report: SandboxReport;
  /** Of a copy; absent: of `to`. */
  readonly copy?: string;
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

/** What is reported of a mail to a normalized address that does not leave: what the address plays, delivered to any other. */
export function sandboxReport(email: string): SandboxReport {
  const part = partOf(email);
  return SANDBOX_REPORTS.find((report) => report === part) ?? 'delivered';
}

/** The same of one who gets a copy. */
export function reportOfCopy(copy: string): SandboxReported {
  return { report: sandboxReport(copy), copy };
}

/** The local part of a reserved address without its label. */
function partOf(email: string): string | undefined {
  return isSandboxAddress(email) ? /^[^+@]*/.exec(email)?.[0] : undefined;
}

/** The made-up id of a mail that no provider has. */
export function sandboxProviderId(sendId: string): string {
  return `sandbox-${sendId}`;
}
