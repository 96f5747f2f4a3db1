import { keptAbTest } from '../../domain/campaigns/ab-test.ts';
import type { Audience } from '../../domain/campaigns/campaign.ts';
import { type CampaignFields, keptAudience, keptVariants } from '../../domain/campaigns/draft.ts';
import { keptGoal } from '../../domain/campaigns/goal.ts';
import { keptChoice } from '../../domain/send-window-schema.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import type { CheckedTemplate } from '../../sending/check.ts';
import type { CampaignRequest } from './create-campaign.ts';

/** What is known of a campaign beside its fields when it is made. */
export interface MadeOf extends Pick<CampaignRequest, 'id' | 'projectId' | 'scheduledAt' | 'endsAt' | 'now' | 'newId'> {
  readonly entry: RegistryEntry;
  readonly template: CheckedTemplate;
  readonly audience: Audience;
  /** Of contacts that a list creates. */
  readonly isSandboxed: boolean;
}

/** The campaign of these fields: what they leave open is as its template and its project have it. */
export function campaignRequest(fields: CampaignFields, made: MadeOf): Omit<CampaignRequest, 'isSandboxed'> {
  const { id, projectId, entry, template, audience, scheduledAt, endsAt, isSandboxed, now, newId } = made;
  return {
    id,
    projectId,
    name: fields.name ?? '',
    template: entry.key,
    ...{ type: fields.type ?? entry.type, hasOwnType: Boolean(fields.type) },
    ...{ brand: template.brand, hasOwnBrand: Boolean(fields.brand) },
    ...{ subject: fields.subject || template.subject, hasOwnSubject: Boolean(fields.subject) },
    data: fields.data ?? {},
    audience: keptAudience(audience),
    variants: keptVariants(fields.variants),
    test: fields.test ? keptAbTest(fields.test) : null,
    scheduledAt,
    localSchedule: fields.schedule ?? null,
    endsAt,
    ratePerSecond: fields.ratePerSecond ?? null,
    sendWindow: fields.sendWindow ? keptChoice(fields.sendWindow) : null,
    topic: fields.topic ?? null,
    goal: fields.goal ? keptGoal(fields.goal) : null,
    now,
    origin: { source: 'campaign', ip: undefined, userAgent: undefined, isNoConsent: true, isSandboxed, now },
    newId,
  };
}
