import * as z from 'zod';
import { isWithoutMarketing } from '../../../domain/contacts/contact.ts';
import { Refusal } from '../../../domain/errors.ts';
import { confirmationToken, readConfirmation } from '../confirmation.ts';
import { pathOf } from '../own-calls.ts';
import { CAMPAIGN_WORDS, nameOf, STATUS_WORDS, wordsOf } from '../reason-words.ts';
import { renderPublished, senderOf, templateState } from '../template-state.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { Token, tokenWords } from './confirming.ts';
import { type Contact, counted, findContact, fittingPage, Id, pageFields, pageWords } from './shared.ts';

interface Campaign {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly template: string | null;
  readonly audience: { readonly mode: string; readonly segmentId?: string; readonly tag?: string } | null;
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

/** All that decides what a launch sends to whom, but the number of people, which the launch itself compares. */
async function launchContent(context: ToolContext, answer: Answer) {
  const { campaign, draft } = answer;
  const { id, template, audience } = campaign;
  const state = template === null ? null : await templateState(context, template, draft?.brand ?? undefined);
  const members = await membersOf(context, campaign);
  const people = members?.isWhole ? members.people.map(({ id: contactId, email }) => `${contactId} ${email}`).toSorted() : null;
  const content = { id, version: draft?.version ?? 0, template: state, segment: await segmentOf(context, audience), people };
  return { content, state, members };
}

/** Up to so many people a token holds for those very people; beyond for their number. */
const MOST_BOUND = 1000;
const PAGE = 250;

interface Members {
  /** Who is in the audience and gets it, as far as a list of contacts shows that. */
  readonly people: readonly Contact[];
  /** All of them: there are no more than are compared. */
  readonly isWhole: boolean;
}

/** Of an audience that is no list, which the draft has itself. */
async function membersOf({ ask, hasScope }: ToolContext, { audience, topic }: Campaign): Promise<Members | undefined> {
  if (!hasScope('contacts:read') || !audience || audience.mode === 'people') return undefined;
  const segment = audience.mode === 'segment' && audience.segmentId;
  const path = segment ? pathOf`/segments/${segment}/contacts` : '/contacts';
  const found: Contact[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: PAGE, tag: segment ? undefined : audience.tag, cursor: cursor ?? undefined };
    const page: { contacts: Contact[]; nextCursor: string | null } = await ask({ method: 'GET', path, query });
    found.push(...page.contacts);
    cursor = page.nextCursor;
  } while (cursor && found.length < MOST_BOUND);
  const gets = ({ status, suppressed, topics }: Contact): boolean =>
    !isWithoutMarketing(status) && !suppressed && !(typeof topic === 'string' && topics[topic] === false);
  return { people: found.filter(gets), isWhole: !cursor };
}

async function segmentOf({ ask }: ToolContext, audience: Campaign['audience']): Promise<unknown> {
  if (audience?.mode !== 'segment' || audience.segmentId === undefined) return null;
  const { segment } = await ask<{ segment: { id: string; label: unknown; filter: unknown; brand_id?: unknown; brand?: unknown } }>({
    method: 'GET',
    path: pathOf`/segments/${audience.segmentId}`,
  });
  const { id, label, filter, brand_id: brandId, brand } = segment;
  return { id, label, filter, brand: brandId ?? brand ?? null };
}

/** People who are read back. */
const PEOPLE_SHOWN = 5;

async function somePeople(context: ToolContext, { id, audience }: Campaign, members: Members | undefined) {
  const { ask, hasScope } = context;
  if (!hasScope('contacts:read') || !audience) return undefined;
  if (audience.mode === 'people') {
    const path = pathOf`/campaigns/${id}/people`;
    const { emails } = await ask<{ emails: string[] }>({ method: 'GET', path, query: { limit: PEOPLE_SHOWN } });
    return emails.slice(0, PEOPLE_SHOWN).map((email): { email: string; id?: string } => ({ email }));
  }
  const shown: { email: string; id?: string }[] = [];
  for (const { id: contactId, email, status } of (members?.people ?? []).slice(0, 4 * PEOPLE_SHOWN)) {
    if (shown.length === PEOPLE_SHOWN) break;
    // A list does not say who was asked to confirm and has not.
    const asked = status === 'pending' ? (await findContact(context, { contactId }))?.confirmation?.state : undefined;
    if (asked !== 'waiting' && asked !== 'expired') shown.push({ id: contactId, email });
  }
  return shown;
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
  async run(context, { campaignId }) {
    const path = pathOf`/campaigns/${campaignId}`;
    const answer = await context.ask<Answer>({ method: 'GET', path });
    const { campaign, draft } = answer;
    if (campaign.status !== 'draft' || !draft)
      throw new Refusal('invalid_status', `this campaign is ${campaign.status}: only a draft can be launched`);
    if (campaign.template === null || campaign.audience === null)
      throw new Refusal('invalid_request', 'the draft has no template or no audience yet: draft_campaign sets them');
    const { audienceSize, enrolled } = await context.ask<{ audienceSize: number; enrolled: number }>({
      method: 'GET',
      path: `${path}/audience`,
    });
    const { content, state, members } = await launchContent(context, answer);
    const people = await somePeople(context, campaign, members);
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
      { act: 'launch_campaign', content, count: enrolled, version: draft.version },
      { now: context.now(), id: context.newId() },
    );
    const says = [
      `${counted(enrolled, 'person gets', 'people get')} this campaign, of ${audienceSize} who match its audience.`,
      members?.isWhole || campaign.audience.mode === 'people'
        ? 'The token holds for these very people.'
        : `The token holds for their number alone, not for who they are: ${members ? `more than ${MOST_BOUND} match` : 'the key lacks contacts:read'}.`,
      campaign.scheduled_at
        ? `It begins at ${campaign.scheduled_at}.`
        : schedule
          ? 'It goes at a time of the day of each recipient: see data.'
          : 'It begins at once.',
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
  },
});

const launchCampaign = defineTool({
  name: 'launch_campaign',
  title: 'Launch a campaign',
  description:
    'Launch a draft campaign to everybody it is for. Needs the token of prepare_campaign_launch, which the user has agreed to. Refused when anything has changed since: the draft, the template, the sender, the segment, or who gets it. A second call with the token launches nothing more.',
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
    if (answer.campaign.status === 'draft') confirmed.demandSame((await launchContent(context, answer)).content);
    const launched = await context.ask<{ enrolled: number; status: string }>({
      method: 'POST',
      path: `${path}/launch`,
      query: { ifVersion: confirmed.version },
      body: { ifEnrolled: confirmed.count },
      idempotencyKey: confirmed.idempotencyKey,
    });
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
