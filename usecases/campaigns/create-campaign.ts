import type { EntityManager } from '../../db/orm.ts';
import { type AudienceCounts, type AudienceOf, countAudience } from '../../db/queries/campaigns/campaign-audience.ts';
import { insertCampaign, type NewCampaign, setAudience } from '../../db/queries/campaigns/campaigns.ts';
import { contactIdsOf } from '../../db/queries/contacts/contacts.ts';
import { campaignStart, enqueue } from '../../db/queries/operations/outbox.ts';
import type { Origin } from '../../domain/contacts/contact.ts';
import { Refusal, unknownSegment } from '../../domain/errors.ts';
import { upsertContacts } from '../contacts/upsert-contacts.ts';
import { resolveInTime } from './resolve-in-time.ts';

export interface CampaignRequest extends NewCampaign {
  /** Of contacts that people mode creates. */
  readonly origin: Origin;
  readonly newId: () => string;
}

/** Recipients that are made contacts by one statement. */
const UPSERTED_AT_ONCE = 1_000;

/**
 * Writes a campaign with its audience as it is now, whose workflow is started by the outbox; a scheduled one is counted only and resolved
 * when it runs (docs/contract/campaigns.md 5). Throws unknown_segment and empty_audience.
 */
export async function createCampaign(tx: EntityManager, request: CampaignRequest): Promise<AudienceCounts> {
  if (request.audience.mode === 'people') await makeContacts(tx, request, request.audience.emails);
  await insertCampaign(tx, request);
  return beginCampaign(tx, request);
}

/** Of a campaign that is written: finds out who gets it, and has its workflow started. As createCampaign. */
export async function beginCampaign(tx: EntityManager, request: Omit<CampaignRequest, 'isSandboxed'>): Promise<AudienceCounts> {
  const { id, projectId, type, scheduledAt, localSchedule: local = null, sendWindow: choice = null, now } = request;
  const of = audienceOf(request);
  const found = refuseNobody(
    await (scheduledAt ? countAudience(tx, of) : resolveInTime(tx, of, { type, local, choice, settledAt: now, now })),
  );
  await setAudience(tx, id, found, scheduledAt ? null : now);
  await enqueue(tx, projectId, [campaignStart(id)]);
  const { audienceSize, enrolled } = found;
  return { audienceSize, enrolled };
}

/** What its audience is found by. */
export function audienceOf({
  id,
  projectId,
  audience,
  variants,
  test = null,
  ratePerSecond,
  topic = null,
}: Omit<CampaignRequest, 'isSandboxed'>): AudienceOf {
  return { campaignId: id, projectId, audience, variants, testShare: test?.share ?? null, ratePerSecond, topic };
}

/** Throws unknown_segment and empty_audience. */
export function refuseNobody<Counts extends AudienceCounts>(counts: Counts | undefined): Counts {
  if (!counts) return unknownSegment();
  if (counts.enrolled === 0) throw new Refusal('empty_audience', emptyAudience(counts));
  return counts;
}

function emptyAudience({ audienceSize }: AudienceCounts): string {
  if (audienceSize === 0) return 'no contact is in this audience';
  return (
    `nobody in this audience may get email: of ${audienceSize} who match all are unsubscribed, bounced, not confirmed, suppressed, without its topic, ` +
    'or late by its schedule'
  );
}

/** Makes contacts of the addresses of a list that are none yet. */
export async function makeContacts(
  tx: EntityManager,
  request: Pick<CampaignRequest, 'projectId' | 'brand' | 'origin' | 'newId'>,
  emails: readonly string[],
): Promise<void> {
  const { projectId, brand, origin, newId } = request;
  const known = await contactIdsOf(tx, projectId, emails);
  const unknown = emails.filter((email) => !known.has(email));
  for (let start = 0; start < unknown.length; start += UPSERTED_AT_ONCE) {
    const inputs = unknown.slice(start, start + UPSERTED_AT_ONCE).map((email) => ({ email, brand }));
    await upsertContacts(tx, { projectId, defaultBrand: brand, inputs, isList: false, origin, newId });
  }
}
