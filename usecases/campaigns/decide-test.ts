import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { allowLongStatements } from '../../db/queries/campaigns/campaign-audience.ts';
import { changeCampaign, findCampaign, lockCampaign, readCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { releaseRest } from '../../db/queries/campaigns/held-batches.ts';
import { countConversions } from '../../db/queries/campaigns/results.ts';
import { databaseNow } from '../../db/queries/operations/database-now.ts';
import { signalCampaigns } from '../../db/queries/operations/outbox.ts';
import { type AbDecision, outcomeOf, type TriedArm, triedOf } from '../../domain/campaigns/ab-test.ts';
import { OPEN_CAMPAIGN_STATUSES } from '../../domain/campaigns/campaign.ts';
import { invalidRequest, Refusal } from '../../domain/errors.ts';

const OPEN: readonly string[] = OPEN_CAMPAIGN_STATUSES;

type Tested = Pick<CampaignHead, 'id' | 'variants' | 'ab_test' | 'goal' | 'sandboxed'>;

/** What each arm came to in the test by now. */
async function triedArmsOf(tx: EntityManager, campaign: Tested): Promise<TriedArm[]> {
  const { id, variants, ab_test: test, goal, sandboxed } = campaign;
  const counts = (await readCampaignCounts(tx, [id])).get(id);
  const converted = test?.decideBy === 'goal' && goal ? await countConversions(tx, { id, goal, isSandboxed: sandboxed }) : {};
  return triedOf(variants ?? [], test?.decideBy ?? 'hand', counts, converted);
}

/** Decides by what the test tells, and lets the rest go. The caller has the campaign's row locked. */
export async function decideByTest(tx: EntityManager, campaign: CampaignHead, now: Date): Promise<AbDecision> {
  const { ab_test: test } = campaign;
  if (!test) throw new Error('this campaign has no test');
  await allowLongStatements(tx);
  const arms = await triedArmsOf(tx, campaign);
  const decision = { ...outcomeOf(test, arms), at: now.getTime(), arms };
  await decide(tx, campaign, decision);
  return decision;
}

/**
 * Somebody chooses what the rest gets, whatever the test tells by then. Undefined when the project has no such campaign. Throws invalid_request for an arm
 * that there is not, and invalid_status where nothing is to be chosen any more, but for the same choice once more.
 */
export async function chooseWinner(em: EntityManager, projectId: string, id: string, winner: string): Promise<CampaignHead | undefined> {
  return em.transactional(async (tx) => {
    if (!(await findCampaign(tx, projectId, id))) return undefined;
    const campaign = await lockCampaign(tx, id);
    if (!campaign) return undefined;
    const { status, ab_test: test, ab_decision: decided, variants } = campaign;
    if (!test) throw new Refusal('invalid_status', 'this campaign has no test');
    if (!variants?.some(({ key }) => key === winner)) throw invalidRequest([{ path: 'variant', message: 'no variant has this key' }]);
    if (decided?.winner === winner) return campaign;
    if (decided) throw new Refusal('invalid_status', `it is decided already: the rest gets ${decided.winner}`);
    if (!OPEN.includes(status)) throw new Refusal('invalid_status', `this campaign is ${status}`);
    const now = await databaseNow(tx);
    await allowLongStatements(tx);
    const decision = { winner, reason: 'by_hand', at: now.getTime(), arms: await triedArmsOf(tx, campaign) } as const;
    // Whoever changes it at the same time, or finds its recipients, has read it without the choice.
    const version = campaign.version + 1;
    await decide(tx, campaign, decision);
    await changeCampaign(tx, id, { version });
    await signalCampaigns(tx, projectId, [id]);
    return { ...campaign, ab_decision: decision, version };
  });
}

async function decide(tx: EntityManager, { id }: Pick<CampaignHead, 'id'>, decision: AbDecision): Promise<void> {
  await releaseRest(tx, id, decision.winner);
  await changeCampaign(tx, id, { ab_decision: decision });
}
