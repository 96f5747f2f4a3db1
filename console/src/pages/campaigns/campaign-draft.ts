import type { Issue } from '../../api/failure.ts';
import { isAt } from '../../api/issues.ts';
import { FASTEST_CAMPAIGN, MOST_PEOPLE } from '../../api/limits.ts';
import { isPast, localTime, momentOf } from '../../frame/local-time.ts';
import { type WindowChoice, windowFaults } from '../../frame/send-window-fields.tsx';
import { someOf } from '../../letters.ts';
import { addressesIn } from '../../pasted-emails.ts';
import { type DataDraft, dataFaults, dataOf, draftOfData } from '../templates/data-fields.tsx';
import type { MailSubject } from '../templates/subject-choice.tsx';
import type { MailData, TemplateField, TemplateSchema } from '../templates/template-queries.ts';
import type { CampaignChange, CampaignInput, Variant, WholeCampaign } from './campaign-queries.ts';
import { draftOfGoal, type GoalDraft, goalOf, hoursProblem, NO_GOAL } from './goal-draft.ts';
import {
  draftOfLocalStart,
  type LocalSchedule,
  type LocalStartDraft,
  localDateProblem,
  localSpan,
  localStartOf,
  NO_LOCAL_START,
} from './local-start.ts';
import { draftOfTest, NO_TEST, type TestDraft, testFaults, testOf } from './test-draft.ts';

type Audience = CampaignInput['audience'];

/** A campaign while it is written. Times are as a date and time input has them, in the writer's own zone. */
export interface CampaignDraft extends GoalDraft, LocalStartDraft, TestDraft {
  readonly name: string;
  readonly template: string | null;
  /** Empty: the template's own. */
  readonly subject: string;
  /** The slug; null: the project's default. */
  readonly brand: string | null;
  /** The key; null: it is of no topic. */
  readonly topic: string | null;
  readonly data: DataDraft;
  /** Data that it was given by other ways, and that the form does not ask for. */
  readonly otherData: MailData;
  readonly mode: Audience['mode'];
  readonly segment: string | null;
  readonly tag: string;
  /** As typed or pasted: addresses between commas, semicolons, spaces or lines. */
  readonly people: string;
  /** `local`: at a time of each recipient's own clock. */
  readonly start: 'now' | 'later' | 'local';
  readonly startsAt: string;
  readonly endsAt: string;
  readonly ratePerSecond: number | null;
  readonly sendWindow: WindowChoice;
  /** Empty: no test. */
  readonly variants: readonly VariantDraft[];
}

export interface VariantDraft {
  readonly id: string;
  readonly key: string;
  /** Empty: the campaign's. */
  readonly subject: string;
  readonly weight: number;
}

export const EMPTY_CAMPAIGN: CampaignDraft = {
  ...{ name: '', template: null, subject: '', brand: null, topic: null, data: {}, otherData: {} },
  ...{ mode: 'entire', segment: null, tag: '', people: '' },
  ...{
    start: 'now',
    startsAt: '',
    endsAt: '',
    ratePerSecond: null,
    sendWindow: null,
    variants: [],
    ...NO_LOCAL_START,
    ...NO_TEST,
    ...NO_GOAL,
  },
};

/** What a campaign, or one that recurs, is made of but for its times. */
export interface MadeOf extends Pick<WholeCampaign['campaign'], 'name' | 'template' | 'topic' | 'audience' | 'data' | 'goal'> {
  readonly variants: readonly Pick<Variant, 'key' | 'subject' | 'weight'>[] | null;
  /** As they were given; null: the template's and the project's own. */
  readonly subject: string | null;
  readonly brand: string | null;
  readonly rate_per_second: number | null;
  readonly send_window: WindowChoice;
}

interface Known {
  /** The addresses of a list, as far as they are known. */
  readonly people: readonly string[];
  /** What the template takes now; undefined where there is none. */
  readonly schema: TemplateSchema | undefined;
}

/** A campaign that can be changed, as it is written. */
export function draftOfCampaign({ campaign, draft }: WholeCampaign, known: Known): CampaignDraft {
  const { schedule, ends_at: endsAt } = campaign;
  // Of one in local time it is when that is first.
  const startsAt = schedule ? null : campaign.scheduled_at;
  return {
    ...draftOfMade({ ...campaign, subject: draft?.subject ?? null, brand: draft?.brand ?? null }, known),
    ...{ start: schedule ? 'local' : startsAt ? 'later' : 'now', ...draftOfLocalStart(schedule), ...draftOfTest(campaign.test) },
    ...{ startsAt: startsAt ? localTime(startsAt) : '', endsAt: endsAt ? localTime(endsAt) : '' },
  };
}

/** What it is made of, as it is written; without times. */
export function draftOfMade(made: MadeOf, { people, schema }: Known): CampaignDraft {
  const { name, template, subject, brand, topic, rate_per_second: ratePerSecond, send_window: sendWindow, audience, data } = made;
  const { mode } = audience;
  const fields = schema ? fieldsAskedFor(schema) : [];
  const variants: VariantDraft[] = [];
  for (const one of made.variants ?? []) {
    variants.push({ ...newVariant(variants), key: one.key, weight: one.weight, subject: one.subject ?? '' });
  }
  return {
    ...EMPTY_CAMPAIGN,
    ...{ name, template: template || null, subject: subject ?? '', brand, topic },
    ...{ mode, variants, ratePerSecond, sendWindow, people: people.join('\n'), ...draftOfGoal(made.goal) },
    segment: mode === 'segment' ? audience.segmentId : null,
    tag: mode === 'tag' ? audience.tag : '',
    data: draftOfData(fields, data),
    otherData: Object.fromEntries(Object.entries(data).filter(([field]) => !fields.some(({ path }) => rootOf(path) === field))),
  };
}

/**
 * What is to be kept of a draft, however unfinished: null where nothing is said. What no campaign can have, like half a rate, is absent, and what was
 * kept of it before stays. `fields`: what the template takes; undefined while that is not known.
 */
export function changeOf(draft: CampaignDraft, fields: readonly TemplateField[] | undefined): CampaignChange {
  const { name, template, subject, brand, topic, start, startsAt, endsAt, ratePerSecond, sendWindow, variants } = draft;
  const isWindowWrong = Object.values(faultsOfWindow(draft)).some(Boolean);
  const audience = audienceOf(draft);
  const isAudienceWrong = audience?.mode === 'people' && peopleFault(audience.emails) !== undefined;
  const areVariantsWrong = variants.some((one) => keyProblem(one, variants) || (draft.testBy === 'none' && one.weight <= 0));
  const goal = goalOf(draft);
  const test = testOf(draft);
  return {
    ...{ name: name.trim() || null, template, subject: subject.trim() || null, brand, topic },
    ...(isAudienceWrong ? {} : { audience: audience ?? null }),
    ...(fields && template ? { data: dataOfDraft(draft, fields) } : {}),
    scheduleAt: start === 'later' && startsAt ? momentOf(startsAt) : null,
    schedule: scheduleOf(draft),
    endsAt: endsAt ? momentOf(endsAt) : null,
    ...(rateProblem(draft) ? {} : { ratePerSecond }),
    ...(isWindowWrong ? {} : { sendWindow }),
    ...(areVariantsWrong ? {} : { variants: variants.length > 0 ? variants.map((one) => inputOfVariant(one, draft)) : null }),
    ...(test === undefined ? {} : { test }),
    ...(goal === undefined ? {} : { goal }),
  };
}

/** What its mails are made with. */
export function dataOfDraft({ data, otherData }: CampaignDraft, fields: readonly TemplateField[]): MailData {
  return { ...otherData, ...dataOf(fields, data) };
}

/** What the renderer fills in, whatever is given. */
const FILLED_IN = ['contact', 'brand', 'recipient', 'event', 'unsubscribeUrl'];
/** What templates take from the contact where nobody gives it, so that it is not the same for everybody. */
const OF_A_PERSON = ['name', 'firstname', 'lastname', 'displayname', 'fullname', 'email'];

/** Those of a template's fields that a campaign gives. */
export function fieldsAskedFor({ dataSchema, systemVars }: Pick<TemplateSchema, 'dataSchema' | 'systemVars'>): readonly TemplateField[] {
  const takesContact = systemVars.some((name) => rootOf(name) === 'contact');
  return dataSchema.filter(({ path, required = false }) => {
    const isOfPerson = OF_A_PERSON.includes(path.replaceAll('_', '').toLowerCase());
    return !FILLED_IN.includes(rootOf(path)) && !(isOfPerson && takesContact && !required);
  });
}

function rootOf(path: string): string {
  return path.split('.')[0] ?? '';
}

/** Whether all of a draft can be kept. */
export function isKeepable(body: CampaignChange): boolean {
  return 'audience' in body && 'ratePerSecond' in body && 'sendWindow' in body && 'variants' in body && 'test' in body && 'goal' in body;
}

/** In a test that decides each has the same share. */
function inputOfVariant({ key, weight, subject }: VariantDraft, { testBy }: Pick<CampaignDraft, 'testBy'>) {
  return { key, ...(testBy === 'none' ? { weight } : {}), ...(subject.trim() ? { subject: subject.trim() } : {}) };
}

/** Where the API says that a field is wrong. */
const PATHS: Readonly<Partial<Record<keyof CampaignDraft, string | readonly string[]>>> = {
  ...{ name: 'name', template: 'template', subject: 'subject', brand: 'brand', topic: 'topic', data: 'data', variants: 'variants' },
  ...{ mode: 'audience', segment: 'audience', tag: 'audience', people: 'audience' },
  ...{
    start: ['scheduleAt', 'schedule'],
    startsAt: 'scheduleAt',
    endsAt: 'endsAt',
    ratePerSecond: 'ratePerSecond',
    sendWindow: 'sendWindow',
  },
  ...{ localDate: 'schedule.date', localAt: 'schedule.at', fallback: 'schedule.fallback', late: 'schedule.late' },
  ...{ testBy: 'test', testShare: 'test', testHours: 'test', testDefault: 'test' },
  ...{ goalEvent: 'goal', goalHours: 'goal', goalSum: 'goal' },
};

/** What the API found wrong at a place of what was sent. */
export type ProblemOf = (path: string) => string | undefined;

/** What is left of the problems after a change: those of what was changed are over. */
export function problemsAfter(issues: readonly Issue[], change: Partial<CampaignDraft>): readonly Issue[] {
  const changed = (Object.keys(change) as (keyof CampaignDraft)[]).flatMap((name) => PATHS[name] ?? []);
  return issues.some(({ path }) => changed.some((one) => isAt(path, one)))
    ? issues.filter(({ path }) => !changed.some((one) => isAt(path, one)))
    : issues;
}

const VARIANT_KEYS = ['a', 'b', 'c', 'd'];

let ids = 0;

/** One more arm, with a key that none of the others has. */
export function newVariant(others: readonly VariantDraft[]): VariantDraft {
  ids += 1;
  const key = VARIANT_KEYS.find((one) => others.every((other) => other.key !== one)) ?? '';
  return { id: `variant-${ids}`, key, subject: '', weight: 1 };
}

/** What can be no address; of the others the API finds out. */
export function notAddresses(typed: readonly string[]): readonly string[] {
  return typed.filter((one) => !/^[^@]+@[^@]+$/.test(one));
}

/** Of addresses that are none. */
export const MOST_NAMED = 5;

/** The addresses that something is wrong with, and what. */
export function addressFault(wrong: readonly string[], what: string): string {
  return `${someOf(wrong, MOST_NAMED)}: ${what}`;
}

/** Who is meant; undefined while it is not said. */
export function audienceOf({ mode, segment, tag, people }: CampaignDraft): Audience | undefined {
  if (mode === 'segment') return segment ? { mode, segmentId: segment } : undefined;
  if (mode === 'tag') return tag.trim() ? { mode, tag: tag.trim() } : undefined;
  if (mode === 'entire') return { mode };
  const emails = addressesIn(people);
  return emails.length > 0 ? { mode, emails: [...emails] } : undefined;
}

/** What is wrong with the rate as it is typed. */
export function rateProblem({ ratePerSecond: rate }: Pick<CampaignDraft, 'ratePerSecond'>): string | undefined {
  if (rate === null || (Number.isInteger(rate) && rate >= 1 && rate <= FASTEST_CAMPAIGN)) return undefined;
  return `Enter a whole number from 1 to ${FASTEST_CAMPAIGN.toLocaleString('en')}`;
}

/** What is missing or wrong, by the name in the request. `fields`: what the template takes. `lacksPeople`: its list is not shown, and stays. */
export function campaignFaults(
  draft: CampaignDraft,
  fields: readonly TemplateField[],
  lacksPeople: boolean,
): Readonly<Record<string, string | undefined>> {
  const { template, data, start, startsAt, localDate, localAt, variants } = draft;
  return {
    template: template ? undefined : 'Choose a template',
    ...dataFaults(fields, data),
    audience: lacksPeople && draft.mode === 'people' && !draft.people ? undefined : audienceFault(draft),
    scheduleAt: start === 'later' && !startsAt ? 'Choose a start time' : startProblem(draft),
    'schedule.date': start === 'local' ? (localDate ? localDateProblem(draft) : 'Choose a start date') : undefined,
    'schedule.at': start === 'local' && !localAt ? 'Choose a time' : undefined,
    endsAt: endProblem(draft),
    ratePerSecond: rateProblem(draft),
    ...Object.fromEntries(Object.entries(faultsOfWindow(draft)).map(([name, fault]) => [`sendWindow.${name}`, fault])),
    'goal.withinHours': hoursProblem(draft),
    ...testFaults(draft),
    ...Object.fromEntries(
      variants.flatMap((variant, index) => [
        [`variants[${index}].key`, keyProblem(variant, variants)] as const,
        [`variants[${index}].weight`, draft.testBy !== 'none' || variant.weight > 0 ? undefined : 'Enter a number above 0'] as const,
      ]),
    ),
  };
}

const NO_AUDIENCE: Readonly<Record<CampaignDraft['mode'], string>> = {
  entire: '',
  segment: 'Choose a segment',
  tag: 'Enter a tag',
  people: 'Enter at least one address',
};

function audienceFault(draft: CampaignDraft): string | undefined {
  const audience = audienceOf(draft);
  if (!audience) return NO_AUDIENCE[draft.mode];
  return audience.mode === 'people' ? peopleFault(audience.emails) : undefined;
}

/** What is wrong with the addresses of a list. */
export function peopleFault(emails: readonly string[]): string | undefined {
  if (emails.length > MOST_PEOPLE) return TOO_MANY_PEOPLE;
  const wrong = notAddresses(emails);
  return wrong.length > 0 ? addressFault(wrong, wrong.length === 1 ? 'not a valid address' : 'not valid addresses') : undefined;
}

export const TOO_MANY_PEOPLE = 'Too many addresses. Use a segment or a tag instead';

/** What is wrong with a window of its own, by the names of its fields. */
export function faultsOfWindow({ sendWindow }: Pick<CampaignDraft, 'sendWindow'>): Readonly<Record<string, string | undefined>> {
  return sendWindow && sendWindow !== 'none' ? windowFaults(sendWindow) : {};
}

/** The time of each recipient's own clock that it is for; null where it is for none, or a part of it is not chosen. */
export function scheduleOf(draft: CampaignDraft): LocalSchedule | null {
  return draft.start === 'local' ? localStartOf(draft) : null;
}

/** What is wrong with the one time to begin for everybody as it is chosen. */
export function startProblem({ start, startsAt }: Pick<CampaignDraft, 'start' | 'startsAt'>): string | undefined {
  return start === 'later' && isPast(startsAt) ? 'This is in the past' : undefined;
}

/** What is wrong with the end as it is chosen. */
export function endProblem(draft: CampaignDraft): string | undefined {
  const { start, startsAt, endsAt } = draft;
  if (isPast(endsAt)) return 'This is in the past';
  const local = scheduleOf(draft);
  const begins = local ? localSpan(local).first : start === 'later' ? startsAt : '';
  return begins && endsAt && endsAt <= begins ? 'This is before the start' : undefined;
}

/** What is wrong with the key of a variant as it is typed. */
export function keyProblem({ id, key }: VariantDraft, variants: readonly VariantDraft[]): string | undefined {
  if (!/^[a-z0-9_-]{1,32}$/.test(key)) return 'a-z, 0-9, _ and -';
  return variants.some((other) => other.id !== id && other.key === key) ? 'Use a different key for each' : undefined;
}

/** The keys of variants whose mails do not differ, since they have the same subject; `subject`: the campaign's own. */
export function sameVariants({ variants, subject }: Pick<CampaignDraft, 'variants' | 'subject'>): readonly string[] {
  const groups = Map.groupBy(variants, (one) => one.subject.trim() || subject.trim());
  return [...groups.values()].filter((group) => group.length > 1).flatMap((group) => group.map(({ key }) => key));
}

interface Subjects {
  readonly subject: string;
  /** Each with its own subject, if it has one. */
  readonly variants: readonly { readonly key: string; readonly subject: string | null }[];
}

/** The subjects that its mails have, one for each variant; '' for the template's own. */
export function mailSubjects({ variants, subject }: Subjects): readonly MailSubject[] {
  const own = subject.trim();
  if (variants.length === 0) return [{ label: own, subject: own }];
  return variants.map(({ key, subject: typed }) => {
    const shown = typed?.trim() || own;
    return { label: `${key}: ${shown || "the template's subject"}`, subject: shown };
  });
}
