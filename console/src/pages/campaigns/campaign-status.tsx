import type { ReactNode } from 'react';
import { Status } from '../../show/status.tsx';
import { type Campaign, hasEnded } from './campaign-queries.ts';

/** Its state in one word; one that is paused says so before all else. */
export function CampaignStatus({ campaign }: { readonly campaign: Campaign }): ReactNode {
  return <Status value={campaign.paused && !hasEnded(campaign) ? 'paused' : campaign.status} />;
}
