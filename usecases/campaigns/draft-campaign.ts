import { isDeepStrictEqual } from 'node:util';
import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { deleteDraft, insertDraft, noteApproval, writeCampaign } from '../../db/queries/campaigns/campaign-drafts.ts';
import { findCampaign, findWholeCampaign, lockCampaign } from '../../db/queries/campaigns/campaigns.ts';
import { signalCampaigns } from '../../db/queries/operations/outbox.ts';
import { OPEN_CAMPAIGN_STATUSES } from '../../domain/campaigns/campaign.ts';
import { type CampaignFields, type GivenColumns, givenColumns, MAX_DRAFTS, NOTHING_GIVEN } from '../../domain/campaigns/draft.ts';
import type { Goal } from '../../domain/campaigns/goal.ts';
import { invalidRequest, Refusal, refuseStale } from '../../domain/errors.ts';

/** Whose campaign is asked for, and by whom. */
export interface Asked {
  readonly projectId: string;
  readonly id: string;
  /** Of whoever asks. */
  readonly keyId: string;
  /** The version that the caller has seen; undefined: whichever it is. */
  readonly ifVersion: number | undefined;
  readonly now: Date;
}

export interface DraftRequest extends Omit<Asked, 'ifVersion'> {
  readonly fields: CampaignFields;
  /** A campaign of the project that it begins as; what `fields` have goes before. */
  readonly copyOf: string | undefined;
  readonly isSandboxed: boolean;
}

/** Keeps a campaign that nobody sends yet. Throws too_many_drafts, and invalid_request where there is nothing to copy. */
export async function createDraft(tx: EntityManager, request: DraftRequest): Promise<void> {
  const { projectId, id, fields, copyOf, keyId, isSandboxed, now } = request;
  const copied = copyOf === undefined ? NOTHING_GIVEN : await copyFrom(tx, projectId, copyOf);
  const given = { ...copied, ...givenColumns(fields) };
  if (!(await insertDraft(tx, { id, projectId, given, sandboxed: isSandboxed, changedBy: keyId, now })))
    throw new Refusal('too_many_drafts', `a project has at most ${MAX_DRAFTS} drafts of campaigns; launch or delete one`);
}

/** All but its times. Its row is locked: who erases somebody of its list waits, and finds the copy then. */
async function copyFrom(tx: EntityManager, projectId: string, id: string): Promise<GivenColumns> {
  const source = (await lockOwn(tx, projectId, id)) && (await findWholeCampaign(tx, projectId, id));
  if (!source) throw invalidRequest([{ path: 'copyOf', message: 'no such campaign' }]);
  const { name, template, audience, data, variants, ab_test, rate_per_second, send_window, topic, goal } = source;
  const { has_own_subject, has_own_type, has_own_brand } = source;
  return {
    ...NOTHING_GIVEN,
    ...{
      name,
      template,
      audience,
      data,
      variants,
      ab_test,
      rate_per_second,
      send_window,
      topic,
      goal,
      has_own_subject,
      has_own_type,
      has_own_brand,
    },
    ...(has_own_subject ? { subject: source.subject } : {}),
    ...(has_own_type ? { type: source.type } : {}),
    ...(has_own_brand ? { brand_id: source.brand_id } : {}),
  };
}

/** What is not given stays, null takes out what was there. Undefined when the project has no such campaign. Throws version_conflict. */
export async function changeDraft(em: EntityManager, asked: Asked, fields: CampaignFields): Promise<CampaignHead | undefined> {
  const { projectId, id, now, keyId } = asked;
  return em.transactional(async (tx) => {
    const draft = await lockDraft(tx, asked);
    if (!draft) return undefined;
    await writeCampaign(tx, id, { ...givenColumns(fields), ...changedBy(draft, keyId, now) });
    return findCampaign(tx, projectId, id);
  });
}

/**
 * Changes what counts as a conversion of a campaign, whatever became of it. Nothing of what is sent changes, so an approval stays. Undefined when
 * the project has no such campaign. Throws version_conflict.
 */
export async function changeGoal(em: EntityManager, asked: Asked, goal: Goal | null): Promise<CampaignHead | undefined> {
  const { projectId, id, ifVersion } = asked;
  return em.transactional(async (tx) => {
    const campaign = await lockOwn(tx, projectId, id);
    if (!campaign) return undefined;
    refuseStale('campaign', campaign.version, ifVersion);
    if (isWaitingForGoal(campaign) && !isDeepStrictEqual(goal, campaign.goal))
      throw invalidRequest([{ path: 'goal', message: 'its test decides by the goal, and has not decided yet' }]);
    await writeCampaign(tx, id, { goal, version: campaign.version + 1 });
    return findCampaign(tx, projectId, id);
  });
}

/** People were tried by the goal that it has, and what the rest gets is found by that one. */
function isWaitingForGoal({ status, ab_test: test, ab_decision: decision }: CampaignHead): boolean {
  return test?.decideBy === 'goal' && !decision && (OPEN_CAMPAIGN_STATUSES as readonly string[]).includes(status);
}

/** What every change writes: an approval was of what is there no more. */
export function changedBy({ version }: Pick<CampaignHead, 'version'>, keyId: string, now: Date) {
  return { version: version + 1, changed_at: now, changed_by: keyId, approved_at: null, approved_by: null };
}

/** Undefined when the project has no such campaign. Throws version_conflict, and invalid_status when it is no draft. */
export async function removeDraft(em: EntityManager, asked: Asked): Promise<boolean | undefined> {
  return em.transactional(async (tx) => (await lockDraft(tx, asked)) && deleteDraft(tx, asked.id));
}

/** Until the transaction ends nobody else changes, approves or launches it. As removeDraft. */
export async function lockDraft(tx: EntityManager, { projectId, id, ifVersion }: Asked): Promise<CampaignHead | undefined> {
  const campaign = await lockOwn(tx, projectId, id);
  if (!campaign) return undefined;
  if (campaign.status !== 'draft') throw new Refusal('invalid_status', `this campaign is no draft: it is ${campaign.status}`);
  refuseStale('campaign', campaign.version, ifVersion);
  return campaign;
}

export async function lockOwn(tx: EntityManager, projectId: string, id: string): Promise<CampaignHead | undefined> {
  return (await findCampaign(tx, projectId, id)) && lockCampaign(tx, id);
}

/**
 * Approves a draft as it is, or a scheduled campaign that was changed. Undefined when the project has no such campaign. Throws version_conflict,
 * invalid_status, and forbidden to the key that wrote the last change.
 */
export async function approveCampaign(em: EntityManager, asked: Asked): Promise<CampaignHead | undefined> {
  const { projectId, id, keyId, ifVersion, now } = asked;
  return em.transactional(async (tx) => {
    const campaign = await lockOwn(tx, projectId, id);
    if (!campaign) return undefined;
    const { status, awaits_approval, version, changed_by } = campaign;
    if (status !== 'draft' && !(status === 'scheduled' && awaits_approval))
      throw new Refusal('invalid_status', `this campaign is ${status}, and no change of it waits for an approval`);
    refuseStale('campaign', version, ifVersion);
    if (changed_by === null || changed_by === keyId)
      throw new Refusal('forbidden', 'this key wrote the last change of the campaign: another one approves it');
    await noteApproval(tx, id, keyId, now);
    if (status === 'scheduled') await signalCampaigns(tx, projectId, [id]);
    return findCampaign(tx, projectId, id);
  });
}
