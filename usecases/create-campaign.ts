import type { EntityManager } from '../db/orm.ts';
import { type AudienceCounts, countAudience, resolveAudience } from '../db/queries/campaign-audience.ts';
import { campaignsToStart, insertCampaign, type NewCampaign, type StartedCampaign, setAudience } from '../db/queries/campaigns.ts';
import { knownEmails, upsertContacts } from '../db/queries/contacts.ts';
import { enqueue, type Outgoing } from '../db/queries/outbox.ts';
import type { Origin } from '../domain/contact.ts';
import { Refusal } from '../domain/errors.ts';
import { campaignWorkflowId, SEARCH_ATTRIBUTES } from '../workflows/contracts.ts';

export interface CampaignRequest extends Omit<NewCampaign, 'projectId'> {
  readonly project: { readonly id: string; readonly slug: string; readonly default_brand: string | null };
  /** Of contacts that people mode creates. */
  readonly origin: Origin;
  readonly newId: () => string;
}

/** Recipients that are made contacts by one statement. */
const UPSERTED_AT_ONCE = 1_000;
/** Behind whatever one person's doing started. */
const CAMPAIGN_PRIORITY = 5;

/**
 * Writes a campaign with its audience as it is now, whose workflow is started by the outbox; a scheduled one is counted only and resolved
 * when it runs (decisions.md 6.5). Throws unknown_segment and empty_audience.
 */
export async function createCampaign(tx: EntityManager, request: CampaignRequest): Promise<AudienceCounts> {
  const { id, project, audience, variants, ratePerSecond, scheduledAt, now } = request;
  if (audience.mode === 'people') await makeContacts(tx, request, audience.emails);
  await insertCampaign(tx, { ...request, projectId: project.id });
  const of = { campaignId: id, projectId: project.id, audience, variants, ratePerSecond };
  const counts = await (scheduledAt ? countAudience : resolveAudience)(tx, of);
  if (!counts) throw new Refusal('unknown_segment', 'this project has no such segment');
  if (counts.enrolled === 0) throw new Refusal('empty_audience', 'nobody in this audience may get mail');
  await setAudience(tx, id, counts, scheduledAt ? null : now);
  const { name, template } = request;
  const status = scheduledAt ? 'scheduled' : 'queued';
  await enqueue(tx, [startMessage({ id, name, template, status, total_recipients: counts.enrolled, slug: project.slug })]);
  return counts;
}

/** Starts the workflows of those that have not ended; whose start is on its way already is passed over. Returns how many. */
export async function restartCampaigns(tx: EntityManager, ids: readonly string[]): Promise<number> {
  const starts = (await campaignsToStart(tx, ids)).map(startMessage);
  await enqueue(tx, starts);
  return starts.length;
}

function startMessage({ id, name, template, status, total_recipients, slug }: StartedCampaign): Outgoing {
  return {
    workflowId: campaignWorkflowId(id),
    message: {
      kind: 'start',
      workflowType: 'campaign',
      input: { campaignId: id },
      searchAttributes: {
        [SEARCH_ATTRIBUTES.project]: slug,
        [SEARCH_ATTRIBUTES.campaign]: id,
        [SEARCH_ATTRIBUTES.state]: status === 'scheduled' ? 'waiting' : 'running',
      },
      summary: `${name || template}: ${total_recipients.toLocaleString('en')} recipients`,
      priority: CAMPAIGN_PRIORITY,
      fairnessKey: slug,
    },
  };
}

async function makeContacts(tx: EntityManager, request: CampaignRequest, emails: readonly string[]): Promise<void> {
  const { project, brand, origin, newId } = request;
  const known = await knownEmails(tx, project.id, emails);
  const unknown = emails.filter((email) => !known.has(email));
  for (let start = 0; start < unknown.length; start += UPSERTED_AT_ONCE) {
    const inputs = unknown.slice(start, start + UPSERTED_AT_ONCE).map((email) => ({ email, brand }));
    await upsertContacts(tx, { projectId: project.id, defaultBrand: brand, inputs, isList: false, origin, newId });
  }
}
