/** What is counted of each variant too, in the words of the API. A recipient counts once at most. */
const OF_VARIANTS = {
  sent: 'The provider took their email',
  delivered: 'As the provider reports',
  opened: 'Recipients who opened, each once',
  clicked: 'Recipients who clicked, each once',
  bounced: 'As the provider reports',
  complained: 'As the provider reports',
  unsubscribed: 'By the link of this email',
} as const;

/** What is told of the whole campaign alone. */
const OF_THE_WHOLE = {
  failed: 'Their email could not be made, was refused, or has an unknown outcome',
  skipped: 'They unsubscribed meanwhile, or it ended before their turn',
  cancelled: 'They will never get it, since it was cancelled',
} as const;

const MEANINGS = { ...OF_VARIANTS, ...OF_THE_WHOLE };
export type ShownCounter = keyof typeof MEANINGS;
export const VARIANT_COUNTERS = Object.keys(OF_VARIANTS) as (keyof typeof OF_VARIANTS)[];
export const SHOWN_COUNTERS = Object.keys(MEANINGS) as ShownCounter[];

/** How a recipient can end, in the order in which operators read of it. */
export const SETTLING_COUNTERS = ['sent', 'failed', 'skipped', 'cancelled'] as const satisfies readonly ShownCounter[];

/** `recipients`: who was queued in a variant. */
export type CampaignCounter = ShownCounter | 'recipients';
export type CampaignCounts = Readonly<Record<CampaignCounter, number>>;

const CAMPAIGN_COUNTERS: readonly CampaignCounter[] = [...SHOWN_COUNTERS, 'recipients'];

export const NOTHING_COUNTED = Object.fromEntries(CAMPAIGN_COUNTERS.map((counter) => [counter, 0])) as CampaignCounts;

/** Something for each of these, by its name in records. */
export function byCountName<C extends ShownCounter, V>(
  counters: readonly C[],
  of: (counter: C, meaning: string) => V,
): { readonly [counter in C as `${counter}_count`]: V } {
  return Object.fromEntries(counters.map((counter) => [`${counter}_count`, of(counter, MEANINGS[counter])])) as {
    [counter in C as `${counter}_count`]: V;
  };
}

/** All variants together. */
export function totalOf(byVariant: ReadonlyMap<string, CampaignCounts> | undefined): CampaignCounts {
  const total = { ...NOTHING_COUNTED } as Record<CampaignCounter, number>;
  for (const counts of byVariant?.values() ?? []) for (const counter of CAMPAIGN_COUNTERS) total[counter] += counts[counter];
  return total;
}

/** Recipients who have their outcome. */
export function settledOf(counts: CampaignCounts): number {
  return SETTLING_COUNTERS.reduce((settled, counter) => settled + counts[counter], 0);
}
