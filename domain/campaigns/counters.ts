/** What is counted of a campaign, of each recipient once at most. The first four are how recipients are settled. */
export const CAMPAIGN_COUNTERS = [
  'sent',
  'failed',
  'skipped',
  'cancelled',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'recipients',
] as const;
export type CampaignCounter = (typeof CAMPAIGN_COUNTERS)[number];
export type CampaignCounts = Readonly<Record<CampaignCounter, number>>;

export const NOTHING_COUNTED = Object.fromEntries(CAMPAIGN_COUNTERS.map((counter) => [counter, 0])) as CampaignCounts;

/** All variants together. */
export function totalOf(byVariant: ReadonlyMap<string, CampaignCounts> | undefined): CampaignCounts {
  const total = { ...NOTHING_COUNTED } as Record<CampaignCounter, number>;
  for (const counts of byVariant?.values() ?? []) for (const counter of CAMPAIGN_COUNTERS) total[counter] += counts[counter];
  return total;
}

/** Recipients who have their outcome. */
export function settledOf({ sent, failed, skipped, cancelled }: CampaignCounts): number {
  return sent + failed + skipped + cancelled;
}
