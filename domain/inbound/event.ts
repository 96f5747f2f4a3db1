import type { Issue } from '../errors.ts';

/** What providers can report about a send. `queued`: taken over or delayed, nothing more. */
export const PROVIDER_EVENT_TYPES = ['queued', 'delivered', 'bounced', 'complained', 'opened', 'clicked'] as const;
export type ProviderEventType = (typeof PROVIDER_EVENT_TYPES)[number];

export interface Bounce {
  /** soft: it may pass, like a full mailbox. */
  readonly kind: 'hard' | 'soft';
  /** RFC 3463, like 5.1.1, or whatever the provider tells. */
  readonly code?: string;
}

/** What an event tells beside its type. */
export interface ProviderEventDetails {
  readonly bounce?: Bounce;
  /** The link that was clicked. */
  readonly url?: string;
  /** `queued` because the receiver puts it off, and not since it was taken over. */
  readonly isDelay?: true;
}

/** One report of a provider in the words of this service. */
export interface ReportedEvent {
  /** The provider's own mark: the same event told twice has the same one. */
  readonly key: string;
  readonly type: ProviderEventType;
  /** Under which the send may be known, any of them. */
  readonly providerIds: readonly string[];
  /** The send itself, where a report names it in their place. */
  readonly sendId?: string | undefined;
  readonly occurredAt: Date;
  readonly details: ProviderEventDetails;
  /** Whom it is about, where the provider says so: a mail may have copies. */
  readonly email?: string | undefined;
  /** The event as the provider wrote it. */
  readonly body: string;
}

/** A signed body that is not an event of this provider: 422. The message is about the first problem. */
export class NotAnEvent extends Error {
  override readonly name = 'NotAnEvent';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const [first] = issues;
    super([first?.path, first?.message].filter(Boolean).join(': '));
    this.issues = issues;
  }
}

/** Never goes back: docs/contract/inbound.md 7. */
const RANK = { queued: 0, delivered: 1, bounced: 2, complained: 3 } as const;
export type MailStatus = keyof typeof RANK;

/** The later of the two, whatever the order in which they were reported. */
export function furtherStatus(current: MailStatus | null, reported: MailStatus): MailStatus {
  return current !== null && RANK[current] >= RANK[reported] ? current : reported;
}
