/** What a call was for. */
export type CallKind =
  | 'send'
  | 'batch'
  /** POST /send with `sendAt`. */
  | 'schedule'
  | 'move send'
  | 'cancel send'
  | 'contacts'
  | 'unsubscribe'
  | 'suppress'
  | 'event'
  | 'cancel enrollment'
  | 'campaign'
  | 'pause campaign'
  | 'resume campaign'
  | 'cancel campaign'
  | 'change endpoint'
  | 'delete endpoint'
  | 'read';

/** One call of the API with its answer. Instants are milliseconds since 1970. */
export interface Call {
  readonly kind: CallKind;
  readonly method: string;
  /** Below /api/v1. */
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
  readonly body?: any;
  readonly key?: string | undefined;
  /** Whom it concerns, where the path and the body do not say: an address. */
  readonly about?: string | undefined;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** null: the connection broke, or there was no answer in time. What became of the call is unknown. */
  readonly status: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
  readonly answer?: any;
}

/** A mail as it came to the mail server. */
export interface Mail {
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly receivedAt: number;
  /** SHA-256 of each of its files; absent: its provider does not tell. */
  readonly files?: readonly string[];
}

/** A call as it came to the receiver of webhooks. */
export interface Hook {
  readonly path: string;
  readonly id: string;
  readonly isSigned: boolean;
  readonly body: string;
  readonly at: number;
  /** What it was answered; null: with nothing. */
  readonly status: number | null;
}

/** A row of GET /sends. */
export interface SendSeen {
  readonly id: string;
  readonly contact_id: string | null;
  readonly to_email: string;
  readonly subject: string;
  readonly status: 'sent' | 'failed';
  readonly error: string | null;
  readonly provider_id: string | null;
  readonly source_type: string;
  readonly source_id: string | null;
}

/** A row that has no outcome yet: GET /sends does not show it. */
export type OutcomeUnknownSeen = Pick<SendSeen, 'id' | 'to_email' | 'subject'>;

/** A record of GET /campaigns. */
export interface CampaignSeen {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly total_recipients: number;
  readonly sent_count: number;
  readonly failed_count: number;
  readonly skipped_count: number;
  readonly cancelled_count: number;
}

/** GET /enrollments/:id, and the address of its contact. */
export interface EnrollmentSeen {
  readonly id: string;
  readonly sequence_key: string;
  readonly contact_id: string;
  readonly email: string;
  readonly status: string;
  readonly end_reason: string | null;
  readonly waiting_for: string | null;
  readonly steps: readonly {
    readonly node_id: string;
    readonly kind: string;
    readonly outcome: string | null;
    readonly detail: string | null;
  }[];
}

/** A record of GET /webhooks/:id/deliveries. */
export interface DeliverySeen {
  readonly id: string;
  readonly event_type: string;
  // biome-ignore lint/suspicious/noExplicitAny: data of many shapes
  readonly payload: { readonly id: string; readonly type: string; readonly timestamp: string; readonly data: any };
  readonly status: string;
  readonly attempts: number;
  readonly attempt_log: readonly {
    readonly number: number;
    readonly at: string;
    readonly status: number | null;
    readonly error: string | null;
    readonly milliseconds: number | null;
  }[];
}

export interface EndpointSeen {
  readonly id: string;
  readonly path: string;
  /** null: all. */
  readonly events: readonly string[] | null;
  /** It was there and enabled all the time, so it has to be told of everything. */
  readonly isSteady: boolean;
  /** Empty for one that was deleted. */
  readonly deliveries: readonly DeliverySeen[];
}

/** Everything that can be seen from outside: what was asked and answered, what arrived, and what the API says at the end. */
export interface Observed {
  readonly retryBaseSeconds: number;
  /** Whether the mail provider deduplicates by key, so that a mail of unknown outcome is kept for a retry. */
  readonly deduplicates: boolean;
  readonly calls: readonly Call[];
  readonly mails: readonly Mail[];
  readonly hooks: readonly Hook[];
  readonly sends: readonly SendSeen[];
  /** Read from the database: the one thing that cannot be seen from outside. */
  readonly outcomeUnknown: readonly OutcomeUnknownSeen[];
  readonly campaigns: readonly CampaignSeen[];
  readonly enrollments: readonly EnrollmentSeen[];
  readonly endpoints: readonly EndpointSeen[];
}

/** A promise that was not kept. */
export interface Violation {
  readonly promise: string;
  /** Ids and addresses to search the logs for. */
  readonly about: readonly string[];
  readonly message: string;
}

/** A promise, where it is made, and what looks for the cases that break it. */
export interface Promised {
  readonly promise: string;
  readonly source: string;
  find(observed: Observed): Omit<Violation, 'promise'>[];
}

/**
 * A mail in flight when something is forbidden may still go for so long: docs/contract/sends.md 13. What is exact (a cancellation) waits for it before
 * it is answered.
 */
export const IN_FLIGHT_MS = 22_000;

/**
 * The subject of a mail of the load says what it is: marketing or transactional, of what source, and which one. It is in every message and row.
 */
export const subjects = {
  send: (ref: string, isMarketing: boolean) => `${isMarketing ? 'm' : 't'} send ${ref}`,
  campaign: (name: string) => `m campaign ${name}`,
  step: (sequence: string, node: string, isMarketing: boolean) => `${isMarketing ? 'm' : 't'} step ${sequence} ${node}`,
};

export function isMarketing(subject: string): boolean {
  return subject.startsWith('m ');
}

export function groupBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(items, key);
}
