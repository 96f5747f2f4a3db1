import { keysOf } from '../../frame/choices.ts';
import { PLOT_COLORS } from '../../show/plot.ts';
import { MOST_BOUNCED, MOST_COMPLAINED } from '../../show/share.tsx';
import type { Campaign, CountName } from './campaign-queries.ts';

/** How a count of a campaign is shown. */
export interface Counted {
  readonly label: string;
  readonly color?: string;
  /** The filter of the send log that finds what is counted. */
  readonly sends?: Readonly<Record<string, string>>;
  /** Above so many percent it is marked. */
  readonly most?: number;
}

type OutcomeCount = 'sent_count' | 'failed_count' | 'skipped_count' | 'cancelled_count';

/** How a recipient can end. Who was skipped or cancelled is not in the send log. */
export const OUTCOMES: Readonly<Record<OutcomeCount, Counted>> = {
  sent_count: { label: 'Sent', color: PLOT_COLORS.sent, sends: { status: 'sent' } },
  failed_count: { label: 'Failed', color: PLOT_COLORS.failed, sends: { status: 'failed' } },
  skipped_count: { label: 'Skipped', color: 'yellow.7' },
  cancelled_count: { label: 'Cancelled', color: 'gray.5' },
};

/** What sent mails led to. The send log is filtered by the last that was reported, which is how mails that came back stay. */
export const REPORTED: Readonly<Record<Exclude<CountName<Campaign>, OutcomeCount>, Counted>> = {
  delivered_count: { label: 'Delivered' },
  opened_count: { label: 'Opened' },
  clicked_count: { label: 'Clicked' },
  bounced_count: { label: 'Bounced', sends: { deliveryStatus: 'bounced' }, most: MOST_BOUNCED },
  complained_count: { label: 'Complaints', sends: { deliveryStatus: 'complained' }, most: MOST_COMPLAINED },
  unsubscribed_count: { label: 'Unsubscribed' },
};

/** Recipients whose mail has an outcome. */
export function settledOf(campaign: Campaign): number {
  return keysOf(OUTCOMES).reduce((settled, name) => settled + campaign[name], 0);
}
