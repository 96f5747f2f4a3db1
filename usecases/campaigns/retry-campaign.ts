import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { changeCampaign, findCampaign, lockCampaign } from '../../db/queries/campaigns/campaigns.ts';
import { databaseNow } from '../../db/queries/operations/database-now.ts';
import { campaignStart, enqueue } from '../../db/queries/operations/outbox.ts';
import { type RetriedOf, type RetriedPortion, type RetriedRecipients, retryRecipients } from '../../db/queries/sends/retries.ts';
import { type CampaignStatus, WITHIN_ALLOWANCE } from '../../domain/campaigns/campaign.ts';
import { Refusal } from '../../domain/errors.ts';

/** What a campaign is after the call. */
export interface RetriedCampaign extends RetriedRecipients {
  readonly status: CampaignStatus;
}

/** Of one project. */
interface Asked {
  readonly projectId: string;
  readonly id: string;
}

/** How a campaign is retried whose failed mails may be more than one transaction can take in the time of a request. */
export interface InPortions extends Pick<RetriedPortion, 'outcomes'> {
  /** Recipients of one transaction: RETRIED_AT_ONCE when omitted. */
  readonly most?: number;
  /** Asked after each portion. */
  readonly isTimeUp: () => boolean;
  /** Called in the transaction of the last portion, with all that was done. */
  readonly conclude: (tx: EntityManager, retried: RetriedCampaign) => Promise<void>;
}

/** Some seconds of work. */
const RETRIED_AT_ONCE = 20_000;

/** Why a campaign in this state is not sent again. */
const REFUSED: Partial<Record<CampaignStatus, string>> = {
  draft: 'this campaign has not begun',
  scheduled: 'this campaign has not begun: nobody has failed yet',
  queued: 'this campaign has not begun: nobody has failed yet',
  cancelled: 'this campaign is cancelled for good; send another one',
  failed: 'this campaign failed as a whole, and nobody was tried; send another one',
};

/**
 * Sends a campaign again, once each, to those recipients whose latest mail failed (docs/contract/sends.md 21): it is `sending` until they are settled, by
 * a workflow under the same id. Undefined when the project has no such campaign. Throws invalid_status.
 */
export async function retryCampaign(em: EntityManager, asked: Asked, of: RetriedOf): Promise<RetriedCampaign | undefined> {
  return em.transactional(async (tx) => {
    const locked = await lockToRetry(tx, asked);
    if (locked?.refusal) throw locked.refusal;
    return locked && retryLocked(tx, locked, of);
  });
}

/**
 * As retryCampaign, for all who failed for these reasons: each portion is a transaction of its own, so what is done stays done, and asking again goes on.
 * `last` of what is answered: the time was up before all were done. What happens to the campaign in between, a cancellation, ends it too.
 */
export async function retryInPortions(
  em: EntityManager,
  asked: Asked,
  { outcomes, most = RETRIED_AT_ONCE, isTimeUp, conclude }: InPortions,
): Promise<RetriedCampaign | undefined> {
  for (let before: RetriedCampaign | undefined; ; ) {
    const { retried, isEnd } = await em.transactional(async (tx) => {
      const locked = await lockToRetry(tx, asked);
      if (locked?.refusal && !before) throw locked.refusal;
      const retried = locked && together(before, await portionOf(tx, locked, { outcomes, most, after: before?.last ?? null }));
      const isEnd = !retried || retried.last === null || isTimeUp();
      if (retried && isEnd) await conclude(tx, retried);
      return { retried, isEnd };
    });
    if (isEnd) return retried;
    before = retried;
  }
}

interface LockedToRetry {
  readonly campaign: CampaignHead;
  readonly now: Date;
  /** Why it is not sent again. */
  readonly refusal: Refusal | undefined;
}

async function lockToRetry(tx: EntityManager, { projectId, id }: Asked): Promise<LockedToRetry | undefined> {
  if (!(await findCampaign(tx, projectId, id))) return undefined;
  const campaign = await lockCampaign(tx, id);
  if (!campaign) return undefined;
  const now = await databaseNow(tx);
  return { campaign, now, refusal: refusalOf(campaign, now) };
}

function refusalOf({ status, ends_at: endsAt }: CampaignHead, now: Date): Refusal | undefined {
  const refused = REFUSED[status];
  if (refused) return new Refusal('invalid_status', refused);
  if (endsAt && endsAt <= now)
    return new Refusal('invalid_status', `nothing of this campaign is sent after its endsAt, ${endsAt.toISOString()}`);
  return undefined;
}

async function retryLocked(tx: EntityManager, { campaign, now }: LockedToRetry, of: RetriedOf): Promise<RetriedCampaign> {
  const { id, project_id: projectId, status } = campaign;
  const recipients = await retryRecipients(tx, campaign, of);
  if (recipients.retried === 0) return { ...recipients, status };
  // Why it ended, or how long a provider was away before, says nothing of what it does now.
  const begunAgain = { status: 'sending', sent_at: null, outages: 0, first_outage_at: null, ...WITHIN_ALLOWANCE } as const;
  await changeCampaign(tx, id, { ...(status === 'sent' ? begunAgain : {}), retried_at: now });
  await enqueue(tx, projectId, [campaignStart(id)]);
  return { ...recipients, status: 'sending' };
}

async function portionOf(tx: EntityManager, locked: LockedToRetry, portion: RetriedPortion): Promise<RetriedCampaign> {
  if (!locked.refusal) return retryLocked(tx, locked, portion);
  return { retried: 0, mayArriveTwice: 0, firstId: null, last: null, status: locked.campaign.status };
}

function together(before: RetriedCampaign | undefined, added: RetriedCampaign): RetriedCampaign {
  if (!before) return added;
  return {
    ...added,
    retried: before.retried + added.retried,
    mayArriveTwice: before.mayArriveTwice + added.mayArriveTwice,
    firstId: before.firstId ?? added.firstId,
  };
}
