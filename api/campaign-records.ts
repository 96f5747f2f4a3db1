import type * as z from 'zod';
import type { CampaignHead } from '../db/entities/index.ts';
import type { EntityManager } from '../db/orm.ts';
import { namesOfKeys } from '../db/queries/campaigns/campaign-drafts.ts';
import { findCampaign, readAudiences, readCampaignCounts, readCampaignData } from '../db/queries/campaigns/campaigns.ts';
import { countLeftOut } from '../db/queries/campaigns/left-out.ts';
import { campaignRecord } from '../domain/campaigns/campaign-record.ts';
import { givenByItself } from '../domain/campaigns/draft.ts';
import { notFound } from '../domain/errors.ts';
import type { CampaignDraft, CampaignDraftState } from './campaign-draft-schemas.ts';
import type { CampaignRecord, CampaignWithData, OneCampaign } from './campaign-schemas.ts';
import type { KeyContext } from './route.ts';
import { demandOwnOfTestKeys } from './test-keys.ts';

/** The records of these campaigns, in their order. One that is gone since its row was read is told no more. */
export async function campaignRecords(em: EntityManager, campaigns: readonly CampaignHead[]): Promise<z.output<typeof CampaignRecord>[]> {
  const ids = campaigns.map(({ id }) => id);
  const counts = await readCampaignCounts(em, ids);
  const audiences = await readAudiences(em, ids);
  return campaigns.flatMap((campaign) => {
    const audience = audiences.get(campaign.id);
    return audience ? campaignRecord(campaign, { audience, byVariant: counts.get(campaign.id) }) : [];
  });
}

export async function recordOf(em: EntityManager, campaign: CampaignHead): Promise<z.output<typeof OneCampaign>['campaign']> {
  const [record] = await campaignRecords(em, [campaign]);
  return { ...(record ?? notFound('campaign')), left_out: await countLeftOut(em, campaign.id) };
}

/** Where a campaign stands that can be changed still; nothing of one that has begun. */
export function draftState(
  project: Pick<KeyContext['project'], 'campaign_approval'>,
  campaign: CampaignHead,
): { readonly draft?: z.output<typeof CampaignDraftState> } {
  const { status, version, changed_at, approved_at, awaits_approval, sandboxed } = campaign;
  if (status !== 'draft' && status !== 'scheduled') return {};
  const needs_approval = project.campaign_approval && !sandboxed && (status === 'draft' || awaits_approval);
  return { draft: { version, changed_at, needs_approval, approved_at } };
}

/** The record with the campaign's data and, while it can be changed, what else there is to know for that. */
export async function wholeCampaign({ em, project }: KeyContext, campaign: CampaignHead): Promise<z.output<typeof CampaignWithData>> {
  const record = await recordOf(em, campaign);
  const data = (await readCampaignData(em, record.id)) ?? notFound('campaign');
  return { campaign: { ...record, data }, ...(await draftPart(em, project, campaign)) };
}

async function draftPart(
  em: EntityManager,
  project: KeyContext['project'],
  campaign: CampaignHead,
): Promise<{ readonly draft?: z.output<typeof CampaignDraft> }> {
  const { draft } = draftState(project, campaign);
  if (!draft) return {};
  const { changed_by, approved_by } = campaign;
  const keyOf = await namedKeys(em, project.id, [changed_by, approved_by]);
  return { draft: { ...draft, changed_by: keyOf(changed_by), ...givenByItself(campaign), approved_by: keyOf(approved_by) } };
}

/** Shows each of these keys, null: none, with its name, null where it is gone. */
export async function namedKeys(
  em: EntityManager,
  projectId: string,
  keys: readonly (string | null)[],
): Promise<(id: string | null) => { readonly id: string; readonly name: string | null } | null> {
  const ids = keys.flatMap((id) => id ?? []);
  const names = await namesOfKeys(em, projectId, ids);
  return (id) => (id === null ? null : { id, name: names.get(id) ?? null });
}

/** Throws forbidden to a test key that asks for a change of what another key has asked for. */
export async function demandOwnCampaign(context: KeyContext, id: string): Promise<void> {
  if (context.isTestKey) demandOwnOfTestKeys(context, (await findCampaign(context.em, context.project.id, id))?.sandboxed);
}
