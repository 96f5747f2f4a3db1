/** The HTTP status of every error code that the API can answer. A code missing here does not compile. */
export const STATUS_OF = {
  invalid_json: 400,
  invalid_idempotency_key: 400,
  malformed_request: 400,
  unauthorized: 401,
  forbidden: 403,
  project_suspended: 403,
  email_unverified: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_in_progress: 409,
  version_conflict: 409,
  audience_changed: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  invalid_request: 422,
  invalid_cursor: 422,
  no_brand: 422,
  unknown_template: 422,
  template_not_enabled: 422,
  invalid_content: 422,
  invalid_from: 422,
  invalid_graph: 422,
  invalid_status: 422,
  send_failed: 422,
  enroll_failed: 422,
  contact_unsubscribed: 422,
  duplicate_key: 422,
  duplicate_label: 422,
  audience_too_large: 422,
  empty_audience: 422,
  unknown_segment: 422,
  segment_in_use: 422,
  schedule_in_past: 422,
  ends_before_start: 422,
  already_sent: 422,
  approval_required: 422,
  delivery_pending: 422,
  too_many_webhooks: 422,
  too_many_templates: 422,
  too_many_drafts: 422,
  too_many_recurring_campaigns: 422,
  too_many_images: 422,
  too_many_saved_blocks: 422,
  too_many_keys: 422,
  too_many_brands: 422,
  too_many_domains: 422,
  too_many_topics: 422,
  too_many_languages: 422,
  too_many_imports: 422,
  template_not_own: 422,
  idempotency_key_reuse: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  not_ready: 503,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF;

/** One thing wrong with a request: `path` as the caller wrote it, like `contacts[3].email`. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** docs/contract/limits.md 6: more than these are not told, and not looked for. */
export const MAX_ISSUES = 100;

export interface RefusalDetails {
  /** Replaces the code's usual status, as for a registry key that nobody knows (404). */
  readonly status?: number;
  /** Additive fields of the error body, like `reason`. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  /** Further response headers, like Allow. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer, not a fault: the caller asked for something that the rules do not allow. The message is public. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly details: RefusalDetails;

  constructor(code: ErrorCode, message: string, details: RefusalDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return this.details.status ?? STATUS_OF[this.code];
  }
}

/** Throws the 404 that an unknown id and another project's id share. */
export function notFound(what: string): never {
  throw new Refusal('not_found', `no such ${what} in this project`);
}

/** Throws unknown_segment. */
export function unknownSegment(): never {
  throw new Refusal('unknown_segment', 'this project has no such segment; GET /segments lists them');
}

/** Refuses a change of what is not as its caller saw it; `expected` undefined: the caller does not care. 0 is what is not there. */
export function refuseStale(what: string, current: number, expected: number | undefined): void {
  if (expected === undefined || expected === current) return;
  const now = current === 0 ? `there is no ${what}` : `the ${what} is at version ${current}`;
  throw new Refusal('version_conflict', `${now}, not at version ${expected}: someone else has changed it`, { body: { version: current } });
}

export function noBrand(): Refusal {
  return new Refusal('no_brand', 'this project has no brand yet; an operator makes one with `brand set`');
}

/** What is wrong with a brand that the project does not have. */
export function noSuchBrand(path: string): Issue {
  return { path, message: 'no such brand' };
}

/** What is wrong with a topic that the project does not have. */
export function noSuchTopic(path: string): Issue {
  return { path, message: 'no such topic' };
}

/** A 422 with every problem, up to MAX_ISSUES; the message is the first one. */
export function invalidRequest(issues: readonly Issue[]): Refusal {
  const [first] = issues;
  const message = first ? [first.path, first.message].filter(Boolean).join(': ') : 'the request is not valid';
  return new Refusal('invalid_request', message, { body: { issues: issues.slice(0, MAX_ISSUES) } });
}
