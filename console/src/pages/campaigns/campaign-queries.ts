import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type ListQuery, type Schemas } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { inConsole } from '../../base.ts';
import { SENDS } from '../sends/send-queries.ts';

/** Where its pages lead back to. */
export const CAMPAIGN_LIST = { to: '/', label: 'Campaigns' };

export type Campaign = Schemas['Campaign'];
/** With whom it left out. */
export type CountedCampaign = Schemas['CountedCampaign'];
/** What it was made with and for. */
export type CampaignMade = Pick<Schemas['CampaignWithData'], 'data'>;
export type Variant = Schemas['CampaignVariant'];
/** Of mails, by what became of them. */
export type CountName<T extends Campaign | Variant> = Extract<keyof T, `${string}_count`>;
export type CampaignInput = Schemas['CampaignInput'];
/** What is written of a draft, and of a scheduled campaign. */
export type CampaignChange = Schemas['CampaignChange'];
/** A campaign that can be changed, with what is to be known for that. */
export type WholeCampaign = Awaited<ReturnType<typeof readWhole>>;

/** All campaign queries begin with it. */
export const CAMPAIGNS = ['campaigns'] as const;

const UNDER_WAY_AGAIN_MS = 1_500;
const LIST_AGAIN_MS = 5_000;
const NEWEST_SENDS = 5;
/** Opens and clicks go on long after the last mail. */
const ENDED_AGAIN_MS = 30_000;

export type CampaignFilter = ListQuery<'/campaigns'>;

export function campaignsQuery(query: CampaignFilter) {
  return queryOptions({
    queryKey: [...CAMPAIGNS, 'list', query],
    queryFn: ({ signal }) => answerOf(api.GET('/campaigns', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.campaigns.some(isUnderWay) ? LIST_AGAIN_MS : ENDED_AGAIN_MS),
  });
}

const MOST_NAMED = 100;
const NAMES_STAND_MS = 60_000;

/** To tell campaigns by their names where only their ids are known. */
export function newestCampaignsQuery() {
  return queryOptions({
    queryKey: [...CAMPAIGNS, 'newest'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/campaigns', { params: { query: { limit: MOST_NAMED } }, signal }))).campaigns,
    staleTime: NAMES_STAND_MS,
  });
}

export function campaignQuery(id: string) {
  return queryOptions({
    queryKey: [...CAMPAIGNS, id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/campaigns/{id}/progress', { params: { path: { id } }, signal }))).campaign,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? UNDER_WAY_AGAIN_MS : ENDED_AGAIN_MS),
  });
}

export type CampaignResults = Awaited<ReturnType<typeof readResults>>;
export type Bucket = CampaignResults['overTime']['bucket'];

function readResults(id: string, bucket: 'hour' | 'day', signal: AbortSignal) {
  return answerOf(api.GET('/campaigns/{id}/results', { params: { path: { id }, query: { bucket } }, signal }));
}

/**
 * What it led to: changes long after the last mail, and while it is sent as often as what is shown of that. `isUnderWay` is part of the key, so that
 * its end has them read again.
 */
export function resultsQuery(campaign: Campaign, bucket: 'hour' | 'day') {
  const { id } = campaign;
  const isGoing = isUnderWay(campaign);
  return queryOptions({
    queryKey: [...CAMPAIGNS, id, 'results', bucket, isGoing],
    queryFn: ({ signal }) => readResults(id, bucket, signal),
    placeholderData: keepPreviousData,
    refetchInterval: isGoing ? LIST_AGAIN_MS : ENDED_AGAIN_MS,
  });
}

export type CampaignZone = Schemas['CampaignZone'];

/** How far one in local time is in each zone; read again while it is sent, and once more when it has ended. */
export function zonesQuery(campaign: Campaign) {
  const { id } = campaign;
  const isGoing = isUnderWay(campaign);
  return queryOptions({
    queryKey: [...CAMPAIGNS, id, 'zones', isGoing],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/campaigns/{id}/zones', { params: { path: { id } }, signal }))).zones,
    placeholderData: keepPreviousData,
    refetchInterval: isGoing ? LIST_AGAIN_MS : ENDED_AGAIN_MS,
  });
}

/** Changes what counts as a conversion, of whatever campaign. Throws Failure. */
export async function changeGoal(id: string, goal: CampaignChange['goal']): Promise<void> {
  await answerOf(api.PATCH('/campaigns/{id}', { params: { path: { id } }, body: { goal: goal ?? null } }));
}

export type PersonLeftOut = Schemas['PersonLeftOut'];
export type LeftOutFilter = Omit<ListQuery<'/campaigns/{id}/people'>, 'outcome'>;

/** Who matched and does not get it. */
export function leftOutQuery(id: string, filter: LeftOutFilter) {
  const query = { ...filter, outcome: 'left_out' } as const;
  return queryOptions({
    queryKey: [...CAMPAIGNS, id, 'left out', query],
    queryFn: ({ signal }) => answerOf(api.GET('/campaigns/{id}/people', { params: { path: { id }, query }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** Never changes and may be large, so it is read apart from what is read again and again, and once. */
export function campaignMadeQuery(id: string) {
  return queryOptions({
    queryKey: ['campaign made', id],
    async queryFn({ signal }): Promise<CampaignMade> {
      const { data } = (await answerOf(api.GET('/campaigns/{id}', { params: { path: { id } }, signal }))).campaign;
      return { data };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What a campaign is called by, where only its id is known. */
export function campaignNameQuery(id: string) {
  return queryOptions({
    queryKey: [...CAMPAIGNS, 'name', id],
    async queryFn({ signal }): Promise<CalledCampaign> {
      const { name, subject, template, status } = (await readWhole(id, signal)).campaign;
      return { name, subject, template, status };
    },
    staleTime: NAMES_STAND_MS,
    retry: false,
  });
}

function readWhole(id: string, signal?: AbortSignal) {
  return answerOf(api.GET('/campaigns/{id}', { params: { path: { id } }, ...(signal ? { signal } : {}) }));
}

/** A campaign to be changed: read anew for each visit, and not while it is edited. */
export function wholeCampaignQuery(id: string) {
  return queryOptions({
    queryKey: ['campaign to change', id],
    queryFn: ({ signal }) => readWhole(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

const COUNT_STANDS_MS = 30_000;

/** How many match a campaign that has not begun, and how many of them would get it: what a launch would answer now. `of`: its audience. */
export function launchCountQuery(id: string, of: string) {
  return queryOptions({
    queryKey: ['audience now', id, of],
    queryFn: ({ signal }) => answerOf(api.GET('/campaigns/{id}/audience', { params: { path: { id } }, signal })),
    staleTime: COUNT_STANDS_MS,
    retry: false,
  });
}

/** Keeps a draft. The same key makes no second one. Throws Failure. */
export async function createDraft(body: Schemas['CampaignDraftInput'], key: string): Promise<WholeCampaign> {
  const made = api.POST('/campaigns', { params: { query: { draft: '1' }, header: { 'Idempotency-Key': key } }, body });
  return readWhole((await answerOf(made)).campaignId);
}

/** Nothing was saved: somebody else has meanwhile. */
export class SavedMeanwhile extends Error {
  readonly theirs: WholeCampaign;

  constructor(theirs: WholeCampaign) {
    super('saved by another meanwhile');
    this.theirs = theirs;
  }
}

/** Nothing was saved: there is no such campaign any more. */
export class DeletedMeanwhile extends Error {}

/**
 * Changes a draft or a scheduled campaign, unless it is at another than `version` by now, or can be changed no more. Throws SavedMeanwhile,
 * DeletedMeanwhile and Failure.
 */
export async function changeCampaign(id: string, body: CampaignChange, version: number): Promise<WholeCampaign> {
  try {
    return await answerOf(api.PATCH('/campaigns/{id}', { params: { path: { id }, query: { ifVersion: version } }, body }));
  } catch (error) {
    const { code, status } = asFailure(error).details;
    if (status === 404) throw new DeletedMeanwhile();
    if (code !== 'version_conflict' && code !== 'invalid_status') throw error;
    throw new SavedMeanwhile(await readWhole(id));
  }
}

/** The addresses that it was given, for keys that may read contacts; none of a campaign that was given no list. */
export function campaignPeopleQuery(id: string) {
  return queryOptions({
    queryKey: ['campaign people', id],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/campaigns/{id}/people', { params: { path: { id } }, signal }))).emails,
  });
}

/** The last of its sends; read again while more are on their way, and once more when it has ended. */
export function newestSendsQuery(campaign: Campaign) {
  const isOver = hasEnded(campaign);
  const query = { sourceType: 'campaign', sourceId: campaign.id, limit: NEWEST_SENDS };
  return queryOptions({
    queryKey: [...SENDS, 'newest', campaign.id, isOver],
    queryFn: ({ signal }) => answerOf(api.GET('/sends', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: isOver ? false : LIST_AGAIN_MS,
  });
}

/** The console's page of its sends, or of some of them. */
export function sendsOf({ id }: Pick<Campaign, 'id'>, filter: Readonly<Record<string, string>> = {}): string {
  return inConsole(`/sends?${new URLSearchParams({ sourceType: 'campaign', sourceId: id, ...filter })}`);
}

/** Whether its mails are going out now, or are about to. */
function isUnderWay({ status, paused, scheduled_at }: Campaign): boolean {
  if (status === 'scheduled') return scheduled_at !== null && Date.parse(scheduled_at) <= Date.now();
  return !paused && (status === 'queued' || status === 'sending');
}

/** Nothing goes out any more. */
export function hasEnded({ status }: Campaign): boolean {
  return status === 'sent' || status === 'cancelled' || status === 'failed';
}

/** What a campaign is called by. */
export type CalledCampaign = Pick<Campaign, 'name' | 'subject' | 'template' | 'status'>;

/** Neither its name nor its subject: a subject that is made of code is not how people call it. */
export function isCalledByTemplate({ name, subject, template }: CalledCampaign): boolean {
  return !name && (!subject || isCode(subject)) && template !== '';
}

/** How a campaign is called: its name, or what its mail is called, given the name of its template. */
export function nameOfCampaign({ name, subject, template, status }: CalledCampaign): string {
  return name || (isCode(subject) ? '' : subject) || template || (status === 'draft' ? 'Draft without a name' : '');
}

/** Whether a subject is made of code, by who gets it or by what it is about. */
export function isCode(subject: string): boolean {
  return /\{[{%]/.test(subject);
}

/** What a subject that is written so came to for a sample contact: told to be that where others get another. */
export function renderedWords(rendered: string, written: string): string {
  return /\{[{%][^}]*\bcontact\./.test(written) ? `${rendered} (for a sample contact)` : rendered;
}

/** Where a campaign is looked at: a draft where it is written, by whoever may. */
export function pageOf({ id, status }: Pick<Campaign, 'id' | 'status'>, mayChange: boolean): string {
  return status === 'draft' && mayChange ? `/${id}/edit` : `/${id}`;
}
