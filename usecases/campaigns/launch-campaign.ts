import type { EntityManager } from '../../db/orm.ts';
import { type AudienceCounts, countAudience, digestAtLaunch, digestOfBatches } from '../../db/queries/campaigns/campaign-audience.ts';
import { writeCampaign } from '../../db/queries/campaigns/campaign-drafts.ts';
import { findCampaignById, setAudience } from '../../db/queries/campaigns/campaigns.ts';
import { signalCampaigns } from '../../db/queries/operations/outbox.ts';
import { type CampaignFields, givenColumns, isChosen } from '../../domain/campaigns/draft.ts';
import { Refusal, refuseStale } from '../../domain/errors.ts';
import { audienceOf, beginCampaign, type CampaignRequest, makeContacts, refuseNobody } from './create-campaign.ts';
import { type Asked, changedBy, lockDraft, lockOwn } from './draft-campaign.ts';

/** A campaign whose fields were checked as they stood at `ifVersion`, and what they came to. */
export interface Checked extends Asked {
  readonly request: Omit<CampaignRequest, 'isSandboxed'>;
  readonly ifVersion: number;
  /** Whether the project has campaigns approved. */
  readonly asksApproval: boolean;
}

export interface Launch extends Checked {
  /** Whether it is to begin at another time than the draft says. */
  readonly isAtOtherTime: boolean;
  /** So many are to get it, or it is not launched; undefined: however many. */
  readonly ifEnrolled: number | undefined;
  /** These very addresses are to get it, by their digest, or it is not launched; undefined: whoever they are. */
  readonly ifAudience: string | undefined;
}

/**
 * Makes a draft a campaign that runs, or is scheduled: of two calls at once one does. Undefined when the project has no such campaign. Throws
 * version_conflict, invalid_status, approval_required, audience_changed, unknown_segment and empty_audience.
 */
export async function launchDraft(tx: EntityManager, launch: Launch): Promise<AudienceCounts | undefined> {
  const { id, request, now, asksApproval, isAtOtherTime, ifEnrolled, ifAudience } = launch;
  const draft = await lockDraft(tx, launch);
  if (!draft) return undefined;
  if (asksApproval && !draft.sandboxed) refuseUnapproved(draft.approved_by, isAtOtherTime);
  const current = await withPeople(tx, request);
  await writeCampaign(tx, id, {
    ...planned(current),
    ...{ scheduled_at: request.scheduledAt, local_schedule: request.localSchedule ?? null, send_window: request.sendWindow ?? null },
    status: request.scheduledAt ? 'scheduled' : 'queued',
    // Whoever has the draft open in another place sees that it is one no more.
    ...{ launched_at: now, version: draft.version + 1 },
  });
  const counts = await beginCampaign(tx, current);
  if (ifEnrolled !== undefined && ifEnrolled !== counts.enrolled) {
    throw new Refusal('audience_changed', `${counts.enrolled} would get it now, not ${ifEnrolled}`, { body: { ...counts } });
  }
  if (ifAudience !== undefined && ifAudience !== (await digestOfLaunched(tx, current)))
    throw new Refusal('audience_changed', 'others would get it now than those whom `ifAudience` is of', { body: { ...counts } });
  return counts;
}

/** Of those whom it goes to: that are in its batches. What is scheduled has none yet, and its time is over for nobody. */
async function digestOfLaunched(tx: EntityManager, request: Checked['request']): Promise<string | undefined> {
  return request.scheduledAt ? digestAtLaunch(tx, { ...audienceOf(request), lateZones: [] }) : digestOfBatches(tx, request.id);
}

function refuseUnapproved(approvedBy: string | null, isAtOtherTime: boolean): void {
  if (approvedBy === null)
    throw new Refusal(
      'approval_required',
      'this project has campaigns approved: POST /campaigns/:id/approve, with another key than the one that wrote the last change',
    );
  if (isAtOtherTime)
    throw new Refusal(
      'approval_required',
      'it was approved for the time that the draft says: PATCH its scheduleAt, schedule or sendWindow, and have it approved again',
    );
}

/** With the addresses of a list as they are in the locked row: somebody may have been erased since they were read. */
async function withPeople(tx: EntityManager, request: Checked['request']): Promise<Checked['request']> {
  if (request.audience.mode !== 'people') return request;
  const audience = (await findCampaignById(tx, request.id))?.audience;
  if (audience?.mode !== 'people' || !isChosen(audience)) throw new Refusal('empty_audience', 'nobody on its list is left');
  await makeContacts(tx, request, audience.emails);
  return { ...request, audience };
}

/** What its template and its project say where nothing else was given. */
function planned({ type, brand, subject }: Checked['request']) {
  return { type, brand_id: brand, subject };
}

/**
 * Changes a scheduled campaign until it begins: whoever begins it has its row locked, and finds it as it was read. Its workflow looks again, for
 * a new time. Undefined when the project has no such campaign. Throws as launchDraft.
 */
export async function changeScheduled(em: EntityManager, checked: Checked, fields: CampaignFields): Promise<AudienceCounts | undefined> {
  const { projectId, id, keyId, ifVersion, asksApproval, request, now } = checked;
  return em.transactional(async (tx) => {
    const campaign = await lockOwn(tx, projectId, id);
    if (!campaign) return undefined;
    if (campaign.status !== 'scheduled')
      throw new Refusal('invalid_status', `this campaign is ${campaign.status}: it can no longer be changed`);
    refuseStale('campaign', campaign.version, ifVersion);
    const given = givenColumns(fields);
    await writeCampaign(tx, id, {
      ...given,
      // A winner was chosen among what was there.
      ...('variants' in given || 'ab_test' in given ? { ab_decision: null } : {}),
      ...planned(request),
      ...{ scheduled_at: request.scheduledAt, local_schedule: request.localSchedule ?? null },
      ...{ awaits_approval: asksApproval && !campaign.sandboxed },
      ...changedBy(campaign, keyId, now),
    });
    const current = await withPeople(tx, request);
    const counts = refuseNobody(await countAudience(tx, audienceOf(current)));
    await setAudience(tx, id, counts, null);
    await signalCampaigns(tx, projectId, [id]);
    return counts;
  });
}
