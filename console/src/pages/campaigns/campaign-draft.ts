import type { Issue } from '../../api/failure.ts';
import { isAt } from '../../api/issues.ts';
import { type DataDraft, dataOf } from '../templates/data-fields.tsx';
import type { TemplateField } from '../templates/template-queries.ts';
import type { CampaignInput } from './campaign-queries.ts';

type Audience = CampaignInput['audience'];

/** A campaign while it is written. Times are as a date and time input has them, in the writer's own zone. */
export interface CampaignDraft {
  readonly name: string;
  readonly template: string | null;
  /** Empty: the template's own. */
  readonly subject: string;
  /** The slug; null: the project's default. */
  readonly brand: string | null;
  readonly data: DataDraft;
  readonly mode: Audience['mode'];
  readonly segment: string | null;
  readonly tag: string;
  /** As typed or pasted: addresses between commas, semicolons, spaces or lines. */
  readonly people: string;
  readonly startsLater: boolean;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly ratePerSecond: number | null;
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
  ...{ name: '', template: null, subject: '', brand: null, data: {} },
  ...{ mode: 'entire', segment: null, tag: '', people: '' },
  ...{ startsLater: false, startsAt: '', endsAt: '', ratePerSecond: null, variants: [] },
};

/** Where the API says that a field is wrong. */
const PATHS: Readonly<Partial<Record<keyof CampaignDraft, string>>> = {
  ...{ name: 'name', template: 'template', subject: 'subject', brand: 'brand', data: 'data', variants: 'variants' },
  ...{ mode: 'audience', segment: 'audience', tag: 'audience', people: 'audience' },
  ...{ startsLater: 'scheduleAt', startsAt: 'scheduleAt', endsAt: 'endsAt', ratePerSecond: 'ratePerSecond' },
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

export const MOST_PEOPLE = 10_000;
export const MOST_VARIANTS = 4;
export const FEWEST_VARIANTS = 2;
const VARIANT_KEYS = ['a', 'b', 'c', 'd'];

let ids = 0;

/** One more arm, with a key that none of the others has. */
export function newVariant(others: readonly VariantDraft[]): VariantDraft {
  ids += 1;
  const key = VARIANT_KEYS.find((one) => others.every((other) => other.key !== one)) ?? '';
  return { id: `variant-${ids}`, key, subject: '', weight: 1 };
}

/** Each address once, in the order in which they were typed. */
export function addressesOf(people: string): readonly string[] {
  return [...new Set(people.split(/[\s,;]+/).filter(Boolean))];
}

/** Who is meant; undefined while it is not said. */
export function audienceOf({ mode, segment, tag, people }: CampaignDraft): Audience | undefined {
  if (mode === 'segment') return segment ? { mode, segmentId: segment } : undefined;
  if (mode === 'tag') return tag.trim() ? { mode, tag: tag.trim() } : undefined;
  if (mode === 'entire') return { mode };
  const emails = addressesOf(people);
  return emails.length > 0 ? { mode, emails: [...emails] } : undefined;
}

const FASTEST = 10_000;

/** What is wrong with the rate as it is typed. */
export function rateProblem({ ratePerSecond: rate }: Pick<CampaignDraft, 'ratePerSecond'>): string | undefined {
  if (rate === null || (Number.isInteger(rate) && rate >= 1 && rate <= FASTEST)) return undefined;
  return `A whole number from 1 to ${FASTEST.toLocaleString('en')}`;
}

type Written = { readonly body: CampaignInput; readonly lacks?: never } | { readonly body?: never; readonly lacks: string };

/** What is to be sent, or the first thing that is still to be filled in. `fields`: what the template takes. */
export function inputOf(draft: CampaignDraft, fields: readonly TemplateField[]): Written {
  const { template, name, subject, brand, startsLater, startsAt, endsAt, ratePerSecond, variants } = draft;
  const audience = audienceOf(draft);
  const { data, isComplete } = dataOf(fields, draft.data);
  if (!template) return { lacks: 'Choose a template' };
  if (!isComplete) return { lacks: 'Fill in what the template needs' };
  if (!audience) return { lacks: 'Choose an audience' };
  if (audience.mode === 'people' && audience.emails.length > MOST_PEOPLE) return { lacks: 'These are too many people' };
  if (startsLater && !startsAt) return { lacks: 'Choose when it begins' };
  if (rateProblem(draft)) return { lacks: 'Give mails a second as a whole number' };
  if (variants.some(({ key, weight }) => !key || !(weight > 0))) return { lacks: 'Give each variant a key and a weight' };
  return {
    body: {
      template,
      audience,
      data,
      ...(name.trim() ? { name: name.trim() } : {}),
      ...(subject.trim() ? { subject: subject.trim() } : {}),
      ...(brand ? { brand } : {}),
      ...(startsLater ? { scheduleAt: new Date(startsAt).toISOString() } : {}),
      ...(endsAt ? { endsAt: new Date(endsAt).toISOString() } : {}),
      ...(ratePerSecond === null ? {} : { ratePerSecond }),
      ...(variants.length > 0
        ? {
            variants: variants.map((one) => ({
              key: one.key,
              weight: one.weight,
              ...(one.subject.trim() ? { subject: one.subject.trim() } : {}),
            })),
          }
        : {}),
    },
  };
}
