import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { changeCampaign, findCampaign, lockCampaign, readCampaignCounts } from '../../db/queries/campaigns/campaigns.ts';
import { releaseRest } from '../../db/queries/campaigns/held-batches.ts';
import { countConversions } from '../../db/queries/campaigns/results.ts';
import { databaseNow } from '../../db/queries/operations/database-now.ts';
import { signalCampaigns } from '../../db/queries/operations/outbox.ts';
import { allowLongStatements } from '../../db/queries/operations/statement-limits.ts';
import { type AbDecision, type AbTest, outcomeOf, type TriedArm, triedOf } from '../../domain/campaigns/ab-test.ts';
import { OPEN_CAMPAIGN_STATUSES } from '../../domain/campaigns/campaign.ts';
import { invalidRequest, Refusal } from '../../domain/errors.ts';

const OPEN: readonly string[] = OPEN_CAMPAIGN_STATUSES;

/** What each arm came to in the test by now. */
async function triedArmsOf(tx: EntityManager, { id, variants, goal, sandboxed }: CampaignHead, { decideBy }: AbTest): Promise<TriedArm[]> {
  // Of very many people it takes longer than a statement usually may.
  await allowLongStatements(tx);
  const counts = (await readCampaignCounts(tx, [id])).get(id);
  const converted = decideBy === 'goal' && goal ? await countConversions(tx, { id, goal, isSandboxed: sandboxed }) : {};
  return triedOf(variants ?? [], decideBy, counts, converted);
}

/** Decides by what the test of a campaign tells, and lets the rest go. The caller has the campaign's row locked. */
export async function decideByTest(tx: EntityManager, campaign: CampaignHead, test: AbTest, now: Date): Promise<AbDecision> {
  const arms = await triedArmsOf(tx, campaign, test);
  const decision = { ...outcomeOf(test, arms), at: now.getTime(), arms };
  await decide(tx, campaign.id, { ab_decision: decision });
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
    const decision = { winner, reason: 'by_hand', at: now.getTime(), arms: await triedArmsOf(tx, campaign, test) } as const;
    // Whoever changes it at the same time, or finds its recipients, has read it without the choice.
    const change = { ab_decision: decision, version: campaign.version + 1 };
    await decide(tx, id, change);
    await signalCampaigns(tx, projectId, [id]);
    return { ...campaign, ...change };
  });
}

async function decide(
  tx: EntityManager,
  id: string,
  change: { readonly ab_decision: AbDecision; readonly version?: number },
): Promise<void> {
  await releaseRest(tx, id, change.ab_decision.winner);
  await changeCampaign(tx, id, change);
}
