import * as z from 'zod';
import { isWithoutMarketing } from '../../../domain/contacts/contact.ts';
import { Refusal } from '../../../domain/errors.ts';
import { confirmationToken, readConfirmation } from '../confirmation.ts';
import type { ToolAnswer } from '../marked-data.ts';
import { pathOf } from '../own-calls.ts';
import { CAMPAIGN_WORDS, nameOf, STATUS_WORDS, wordsOf } from '../reason-words.ts';
import { renderPublished, senderOf, templateState } from '../template-state.ts';
import { defineTool, RouteRefused, type ToolContext } from '../tool.ts';
import { Token, tokenWords } from './confirming.ts';
import { type Contact, counted, findContact, fittingPage, Id, pageFields, pageWords } from './shared.ts';

interface Campaign {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  /** Empty while a draft does not say it. */
  readonly template: string;
  readonly audience: { readonly mode: string; readonly segmentId?: string; readonly tag?: string };
  readonly data: Readonly<Record<string, unknown>>;
  readonly variants: readonly { readonly subject?: string | null }[] | null;
  readonly paused: boolean;
  readonly reason: string | null;
  readonly scheduled_at: string | null;
  readonly schedule: unknown;
  readonly topic: unknown;
  readonly total_recipients: number;
  readonly sent_count: number;
  readonly failed_count: number;
}
interface Draft {
  readonly version: number;
  readonly subject: string | null;
  readonly brand: string | null;
  readonly needs_approval: boolean;
}
interface Answer {
  readonly campaign: Campaign;
  readonly draft?: Draft;
}

const CampaignId = Id.meta({ description: 'The id of the campaign' });

const listCampaigns = defineTool({
  name: 'list_campaigns',
  title: 'List campaigns',
  description:
    'The campaigns of the project, newest first, each with its counters. Drafts only with status draft; `underWay` true has those scheduled, queued or sending.',
  kind: 'read',
  scopes: ['campaigns:read'],
  input: z.object(pageFields),
  takes: { route: 'GET /campaigns', fields: ['status', 'underWay'] },
  async run({ ask }, { limit, cursor }, taken) {
    const { campaigns, nextCursor } = await fittingPage(limit, (most) =>
      ask<{ campaigns: unknown[]; nextCursor: string | null }>({
        method: 'GET',
        path: '/campaigns',
        query: { ...taken, limit: most, cursor },
      }),
    );
    return { says: [`${counted(campaigns.length, 'campaign')} on this page.`, ...pageWords(nextCursor)], data: { campaigns, nextCursor } };
  },
});

const getCampaign = defineTool({
  name: 'get_campaign',
  title: 'The numbers of a campaign',
  description:
    'Where a campaign stands and what it led to: recipients, sent, delivered, opened, clicked, bounced, unsubscribed, left out by reason, failures by reason, links, variants and conversions. Also a draft, with its version.',
  kind: 'read',
  scopes: ['campaigns:read'],
  input: z.object({ campaignId: CampaignId }),
  hasParts: true,
  async run({ ask }, { campaignId }) {
    const path = pathOf`/campaigns/${campaignId}`;
    const { campaign, draft } = await ask<Answer>({ method: 'GET', path });
    const { status, paused, reason, total_recipients: total, sent_count: sent, failed_count: failed } = campaign;
    const says = [
      `The campaign: ${wordsOf(STATUS_WORDS, status)}.${paused ? ' It is paused.' : ''}${reason ? ` ${wordsOf(CAMPAIGN_WORDS, reason)}.` : ''}`,
      `${counted(total, 'recipient')}, ${sent} sent, ${failed} failed.`,
    ];
    if (status === 'draft') return { says, data: { campaign, draft } };
    const { ok: _, ...results } = await ask<{ ok?: unknown }>({ method: 'GET', path: `${path}/results`, query: { bucket: 'day' } });
    const failures = failed > 0 ? (await ask<{ failures?: unknown }>({ method: 'GET', path: `${path}/failures` })).failures : undefined;
    return { says, data: { campaign, results, ...(failures === undefined ? {} : { failures }) } };
  },
});

const DRAFTED = ['name', 'template', 'subject', 'type', 'audience', 'data', 'brand', 'topic', 'scheduleAt', 'endsAt', 'goal'] as const;

const DRAFTED_SAYS = 'The campaign is a draft. prepare_campaign_launch says how many would get it.';

const draftCampaign = defineTool({
  name: 'draft_campaign',
  title: 'Draft a campaign',
  description:
    'Make a campaign as a draft, or change a draft (`campaignId`): nobody gets it before it is launched. What is omitted stays. Try its audience with preview_segment and its email with preview_template; then prepare_campaign_launch.',
  kind: 'draft',
  scopes: ['campaigns:write', 'campaigns:read'],
  input: z.object({ campaignId: CampaignId.optional().meta({ description: 'A draft to change; a new one when omitted' }) }),
  takes: { route: 'PATCH /campaigns/:id', fields: DRAFTED },
  async run({ ask }, { campaignId }, taken) {
    if (campaignId === undefined) {
      const made = await ask<{ campaignId: string }>({ method: 'POST', path: '/campaigns', query: { draft: '1' }, body: taken });
      return { says: [DRAFTED_SAYS], data: { campaignId: made.campaignId } };
    }
    const path = pathOf`/campaigns/${campaignId}`;
    const { campaign, draft } = await ask<Answer>({ method: 'GET', path });
    if (campaign.status !== 'draft' || !draft)
      throw new Refusal('invalid_status', `this campaign is ${campaign.status}: only a draft can be changed here`);
    // A launch makes the next version, so what is no draft any more is refused there.
    const changed = await ask<object>({ method: 'PATCH', path, query: { ifVersion: draft.version }, body: taken });
    return { says: ['The draft is changed. prepare_campaign_launch says how many would get it.'], data: changed };
  },
});

/**
 * All that decides what a launch sends, read just before it. Whom it is to, how many they are, and the version of the draft are compared in the transaction
 * of the launch, with the batches that it makes. What is left: who publishes a template, or changes a sender, between this look and the start of the
 * campaign's workflow, which pins the published content. That is moments after the launch; of a campaign that begins later its time, when its audience is
 * found anew, too. The sender is that of the brand or the template as each batch goes.
 */
async function launchContent(context: ToolContext, { campaign, draft }: Answer) {
  const { id, template, audience } = campaign;
  const state = template === '' ? null : await templateState(context, template, draft?.brand ?? undefined);
  return { content: { id, version: draft?.version ?? 0, template: state, segment: await segmentOf(context, audience) }, state };
}

async function segmentOf({ ask }: ToolContext, audience: Campaign['audience']): Promise<unknown> {
  if (audience.mode !== 'segment' || audience.segmentId === undefined) return null;
  const { segment } = await ask<{ segment: { id: string; label: unknown; filter: unknown; brand_id?: unknown; brand?: unknown } }>({
    method: 'GET',
    path: pathOf`/segments/${audience.segmentId}`,
  });
  const { id, label, filter, brand_id: brandId, brand } = segment;
  return { id, label, filter, brand: brandId ?? brand ?? null };
}

/** People who are read back. */
const PEOPLE_SHOWN = 5;
/** Among so many they are looked for. */
const PEOPLE_READ = 50;

async function somePeople(context: ToolContext, { id, audience, topic }: Campaign) {
  const { ask, hasScope } = context;
  if (!hasScope('contacts:read')) return undefined;
  if (audience.mode === 'people') {
    const path = pathOf`/campaigns/${id}/people`;
    const { emails } = await ask<{ emails: string[] }>({ method: 'GET', path, query: { limit: PEOPLE_SHOWN } });
    return emails.slice(0, PEOPLE_SHOWN).map((email): { email: string; id?: string } => ({ email }));
  }
  const segment = audience.mode === 'segment' && audience.segmentId;
  const path = segment ? pathOf`/segments/${segment}/contacts` : '/contacts';
  const query = { limit: PEOPLE_READ, tag: segment ? undefined : audience.tag };
  const { contacts } = await ask<{ contacts: Contact[] }>({ method: 'GET', path, query });
  const shown: { email: string; id?: string }[] = [];
  for (const contact of contacts.filter((one) => getsCampaign(one, topic)).slice(0, 4 * PEOPLE_SHOWN)) {
    if (shown.length === PEOPLE_SHOWN) break;
    const { id: contactId, email, status } = contact;
    // A list does not say who was asked to confirm and has not.
    const asked = status === 'pending' ? (await findContact(context, { contactId }))?.confirmation?.state : undefined;
    if (asked !== 'waiting' && asked !== 'expired') shown.push({ id: contactId, email });
  }
  return shown;
}

/** As far as a list of contacts shows that. */
function getsCampaign({ status, suppressed, topics }: Contact, topic: unknown): boolean {
  return !isWithoutMarketing(status) && !suppressed && !(typeof topic === 'string' && topics[topic] === false);
}

/** What launching a draft would do, in words, with a token for that alone. */
async function readBack(context: ToolContext, campaignId: string): Promise<ToolAnswer> {
  const path = pathOf`/campaigns/${campaignId}`;
  const answer = await context.ask<Answer>({ method: 'GET', path });
  const { campaign, draft } = answer;
  if (campaign.status !== 'draft' || !draft)
    throw new Refusal('invalid_status', `this campaign is ${campaign.status}: only a draft can be launched`);
  if (campaign.template === '') throw new Refusal('invalid_request', 'the draft has no template yet: draft_campaign sets it');
  const { audienceSize, enrolled, digest } = await context.ask<{ audienceSize: number; enrolled: number; digest: string }>({
    method: 'GET',
    path: `${path}/audience`,
    query: { digest: '1' },
  });
  if (enrolled === 0) throw new Refusal('empty_audience', NOBODY);
  const { content, state } = await launchContent(context, answer);
  const people = await somePeople(context, campaign);
  const { data, variants, topic, schedule } = campaign;
  const subject = draft.subject ? { subject: draft.subject } : {};
  const recipient = people?.[0]?.id === undefined ? {} : { contactId: people[0].id };
  const email = await renderPublished(context, campaign.template, {
    data,
    ...subject,
    ...recipient,
    ...(draft.brand ? { brand: draft.brand } : {}),
  });
  const token = confirmationToken(
    context.vault,
    context.key,
    { act: 'launch_campaign', content, count: enrolled, audience: digest, version: draft.version },
    { now: context.now(), id: context.newId() },
  );
  const says = [
    `${counted(enrolled, 'person gets', 'people get')} this campaign, of ${audienceSize} who match its audience. The token holds for these very people.`,
    ...(campaign.scheduled_at
      ? [`It begins at ${campaign.scheduled_at}.`, BEGINS_LATER]
      : schedule
        ? ['It goes at a time of the day of each recipient: see data.', BEGINS_LATER]
        : ['It begins at once.']),
    ...(email.missing.length > 0 ? [`Data is missing, so its emails would fail: ${counted(email.missing.length, 'name')} in data.`] : []),
    ...(draft.needs_approval ? ['The project has campaigns approved by a second key: without that the launch is refused.'] : []),
    ...tokenWords(token, 'launch_campaign'),
  ];
  const { name, audience } = campaign;
  const sender = state && senderOf(state, draft.brand ?? undefined);
  return {
    says,
    data: { name, audience, topic, schedule, sender, email, variants, people: people ?? 'not read: the key lacks contacts:read' },
  };
}

const NOBODY = 'nobody would get this campaign: it has no audience yet, or nobody in it may get email; draft_campaign sets it';
const BEGINS_LATER =
  'A campaign that begins later goes to whoever is in its audience then, with what is published then: the token holds for the launch alone.';

/** A launch that was refused for what has changed, with what it would do now. */
async function changedSince(context: ToolContext, campaignId: string): Promise<ToolAnswer> {
  const { says, ...rest } = await readBack(context, campaignId);
  return {
    ...rest,
    says: ['Refused: this is not what was read back. Something has changed since, and nothing was launched. As it is now:', ...says],
    isError: true,
  };
}

const prepareLaunch = defineTool({
  name: 'prepare_campaign_launch',
  title: 'Read back what a launch sends',
  description:
    'Reads back what launching a draft campaign would do: how many people get it, some of them, the sender, the subject and text as one of them gets it, and when. Show that to the user; its confirmation token is for launch_campaign. Sends nothing.',
  kind: 'act',
  scopes: ['campaigns:write', 'campaigns:read', 'templates:read', 'segments:read'],
  input: z.object({ campaignId: CampaignId }),
  isIdempotent: true,
  run: (context, { campaignId }) => readBack(context, campaignId),
});

/** Codes of a launch by which its own conditions do not hold. */
const CHANGED: readonly unknown[] = ['audience_changed', 'version_conflict'];

const launchCampaign = defineTool({
  name: 'launch_campaign',
  title: 'Launch a campaign',
  description:
    'Launch a draft campaign to everybody it is for. Needs the token of prepare_campaign_launch, which the user has agreed to. Refused when anything has changed since: the draft, the template, the sender, the segment, or who gets it; it then reads back what a launch would do now. A second call with the token launches nothing more.',
  kind: 'act',
  scopes: ['campaigns:write', 'campaigns:read', 'templates:read', 'segments:read'],
  input: z.object({ campaignId: CampaignId, confirmationToken: Token }),
  isDestructive: true,
  isIdempotent: true,
  async run(context, { campaignId, confirmationToken: token }) {
    const confirmed = readConfirmation(context.vault, context.key, 'launch_campaign', token, context.now());
    const path = pathOf`/campaigns/${campaignId}`;
    const answer = await context.ask<Answer>({ method: 'GET', path });
    // One that is launched already: the call below repeats its answer for the same token, and refuses any other.
    if (answer.campaign.status === 'draft' && !confirmed.isOf((await launchContent(context, answer)).content))
      return changedSince(context, campaignId);
    const launching = context.ask<{ enrolled: number; status: string }>({
      method: 'POST',
      path: `${path}/launch`,
      query: { ifVersion: confirmed.version },
      body: { ifEnrolled: confirmed.count, ifAudience: confirmed.audience },
      idempotencyKey: confirmed.idempotencyKey,
    });
    const launched = await launching.catch((error: unknown) => {
      if (error instanceof RouteRefused && CHANGED.includes(error.answer.body.code)) return undefined;
      throw error;
    });
    if (!launched) return changedSince(context, campaignId);
    return {
      says: [`The campaign is ${nameOf(launched.status)}, to ${counted(launched.enrolled, 'person', 'people')}.`],
      data: launched,
    };
  },
});

const cancelCampaign = defineTool({
  name: 'cancel_campaign',
  title: 'Cancel a campaign',
  description: 'Cancel a campaign that is scheduled or under way: nobody else gets it. It cannot be taken back.',
  kind: 'act',
  scopes: ['campaigns:write'],
  input: z.object({ campaignId: CampaignId }),
  isDestructive: true,
  async run({ ask }, { campaignId }) {
    const answer = await ask<object>({ method: 'POST', path: pathOf`/campaigns/${campaignId}/cancel` });
    return { says: ['The campaign is cancelled.'], data: answer };
  },
});

export const tools = [listCampaigns, getCampaign, draftCampaign, prepareLaunch, launchCampaign, cancelCampaign];
