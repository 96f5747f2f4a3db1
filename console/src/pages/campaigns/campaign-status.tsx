import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import { type Campaign, hasEnded } from './campaign-queries.ts';

/** Its state in a word or three; one that is paused says so before all else, and one whose every mail failed that nobody has got it. */
export function CampaignStatus({ campaign }: { readonly campaign: Campaign }): ReactNode {
  if (campaign.status === 'sent' && campaign.sent_count === 0 && campaign.failed_count > 0)
    return <Status value="sent to nobody" tone="bad" />;
  return <Status value={campaign.paused && !hasEnded(campaign) ? 'paused' : campaign.status} />;
}
