/** Headers that a caller may set: docs/contract/sends.md 45. */
export const MAX_HEADERS = 20;
export const MAX_HEADER_NAME_LENGTH = 76;
/** With its name it fits in one line (RFC 5322 2.1.1), wherever that may be folded. */
export const MAX_HEADER_LENGTH = 900;

const ALLOWED = /^(?:x-[a-z0-9_-]+|list-[a-z0-9_-]+|references|in-reply-to)$/i;

/**
 * Mail services that a mail may go through take orders by such headers: other recipients, another account, no tracking. They are for whoever runs
 * the installation.
 */
const OF_PROVIDERS =
  /^x-(?:ses|amz|smtpapi|sendgrid|sg|pm|postmark|mailgun|mc|mandrill|mailchannels|msys|sparkpost|mj|mailjet|sib|sendinblue|brevo|mailin|mailersend|mt|mailtrap|mailpace|elasticemail|smtp2go|cloudmta|virtual|virtualmta|vmta|xsmailingid|xsmessageid|apiheader|resend|postal|bcc|cc|to|envelope|rcpt)(?:-|$)/i;

const LIST = /^list-/i;

/** What is wrong with one header, by its name. */
export interface HeaderIssue {
  readonly name: string;
  readonly message: string;
}

/** What is wrong with the headers that a caller asks for. How many there are has been looked at. */
export function headerIssues(headers: Readonly<Record<string, unknown>>): HeaderIssue[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = headerProblem(name, value) ?? (seen.has(name.toLowerCase()) ? 'given twice' : undefined);
    seen.add(name.toLowerCase());
    return message === undefined ? [] : [{ name, message }];
  });
}

/** One that only transactional mails may have: those of marketing mails are the service's own. */
export function listHeaderOf(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(headers).find((name) => LIST.test(name));
}

function headerProblem(name: string, value: unknown): string | undefined {
  if (name.length > MAX_HEADER_NAME_LENGTH) return `a name has at most ${MAX_HEADER_NAME_LENGTH} characters`;
  if (!ALLOWED.test(name)) return 'not a header that a call may set: X-…, References, In-Reply-To, and List-… of transactional emails';
  if (OF_PROVIDERS.test(name)) return 'an email service may take it for an order, so a call may not set it';
  if (typeof value !== 'string') return 'not a text';
  if (value.length > MAX_HEADER_LENGTH) return `at most ${MAX_HEADER_LENGTH} characters`;
  if (/[\p{Cc}\u2028\u2029]/u.test(value)) return 'line ends and other control characters are not possible';
  if (value.trim() === '') return 'empty';
  // Only an unstructured header may be encoded (RFC 2047 5).
  if (!/^x-/i.test(name) && !/^[ -~]*$/.test(value)) return 'only ASCII is possible';
  return undefined;
}
