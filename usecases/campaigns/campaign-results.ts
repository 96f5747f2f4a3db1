import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findCampaignById } from '../../db/queries/campaigns/campaigns.ts';
import { beginCounting, type DueCampaign, expectResults, keepResults, readKeptResults } from '../../db/queries/campaigns/kept-results.ts';
import { countConversions, countLanguages, countLinks, countOverTime, countReceivers } from '../../db/queries/campaigns/results.ts';
import { allowLongStatements } from '../../db/queries/operations/statement-limits.ts';
import type { Goal } from '../../domain/campaigns/goal.ts';
import {
  begunAt,
  type CountedCampaign,
  finalAt,
  type GoalResults,
  type MailResults,
  MOST_COUNTED_AT_ONCE,
} from '../../domain/campaigns/results.ts';

type Head = Pick<CampaignHead, 'id' | 'goal' | 'sandboxed' | 'started_at' | 'languages'> & CountedCampaign;

/** What a campaign has led to; undefined where that is still to be counted. */
export interface CampaignResults {
  readonly mails: MailResults | undefined;
  readonly conversions: GoalResults | undefined;
}

/** As it is now where the campaign is small, else as it was counted last; of one that is long past as it was then. */
export async function readResults(em: EntityManager, campaign: Head, now: Date): Promise<CampaignResults> {
  const kept = await readKeptResults(em, campaign.id);
  const isSmall = campaign.total_recipients <= MOST_COUNTED_AT_ONCE;
  const end = finalAt(campaign);
  const isFinal = (counted: { readonly countedAt: Date } | undefined) => counted && end && counted.countedAt >= end;
  const conversions = kept.conversions && isSame(kept.conversions.goal, campaign.goal) ? kept.conversions : undefined;
  return {
    mails: isSmall && !isFinal(kept.mails) ? await countMails(em, campaign, { forGood: false, now }) : kept.mails,
    conversions: isSmall && !isFinal(conversions) ? await countGoal(em, campaign, now) : conversions,
  };
}

function isSame(one: Goal, other: Goal | null): boolean {
  return one.event === other?.event && one.withinHours === other.withinHours && one.sum === other.sum;
}

async function countMails(em: EntityManager, campaign: Head, { forGood, now }: { forGood: boolean; now: Date }): Promise<MailResults> {
  const startedAt = begunAt(campaign);
  return {
    countedAt: now,
    hours: await countOverTime(em, campaign.id, 'hour', startedAt),
    days: await countOverTime(em, campaign.id, 'day', startedAt),
    links: await countLinks(em, campaign.id, forGood),
    receivers: await countReceivers(em, campaign.id),
    languages: Object.keys(campaign.languages).length > 0 ? await countLanguages(em, campaign.id) : [],
  };
}

async function countGoal(em: EntityManager, campaign: Head, now: Date): Promise<GoalResults | undefined> {
  const { id, goal, sandboxed } = campaign;
  if (!goal) return undefined;
  return {
    countedAt: now,
    goal,
    byVariant: await countConversions(em, { id, goal, isSandboxed: sandboxed }),
  };
}

/** Counts what is due of a campaign and keeps it. Another process that does the same at this moment leaves nothing to do. */
export async function countAndKeep(em: EntityManager, { id, areMailsDue, isLast }: DueCampaign): Promise<void> {
  await expectResults(em, id);
  await em.transactional(async (tx) => {
    const begun = await beginCounting(tx, id);
    const campaign = begun && (await findCampaignById(tx, id));
    if (!campaign) return;
    await allowLongStatements(tx);
    const { erasures, countedAt } = begun;
    const startedAt = performance.now();
    const mails = areMailsDue ? await countMails(tx, campaign, { forGood: isLast, now: countedAt }) : undefined;
    const conversions = await countGoal(tx, campaign, countedAt);
    const took = Math.round(performance.now() - startedAt);
    await keepResults(tx, id, erasures, {
      ...(mails
        ? {
            counted_at: countedAt,
            took,
            hours: mails.hours,
            days: mails.days,
            links: mails.links,
            receivers: mails.receivers,
            languages: mails.languages,
          }
        : {}),
      ...(conversions
        ? { goal: conversions.goal, conversions: conversions.byVariant, converted_at: countedAt }
        : { goal: null, conversions: null, converted_at: null }),
    });
  });
}
