import * as z from 'zod';
import type { CampaignHead } from '../../../db/entities/index.ts';
import { findCampaign, readCampaignCounts } from '../../../db/queries/campaigns/campaigns.ts';
import { DECIDED_BY, intervalOf, restOf, triedOf, verdictOf } from '../../../domain/campaigns/ab-test.ts';
import { byCountName, type CampaignCounts, NOTHING_COUNTED, VARIANT_COUNTERS } from '../../../domain/campaigns/counters.ts';
import {
  allConversions,
  areWhole,
  begunAt,
  conversionsOf,
  type GoalResults,
  MOST_COUNTED_AT_ONCE,
  MOST_LINKS,
  MOST_RECEIVERS,
  NO_LINKS,
  NO_RECEIVERS,
  noConversions,
  overTime,
  RESULTS_FINAL_MS,
} from '../../../domain/campaigns/results.ts';
import { notFound } from '../../../domain/errors.ts';
import { EVENTS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { grouped, shownPeriod } from '../../../domain/shown-text.ts';
import { readResults } from '../../../usecases/campaigns/campaign-results.ts';
import { GoalShown } from '../../campaign-goal-schemas.ts';
import { recordOf } from '../../campaign-records.ts';
import type { CampaignRecord } from '../../campaign-schemas.ts';
import * as examples from '../../examples/campaign-results-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { PathId, Timestamp } from '../../schemas.ts';

const count = (description: string) => z.int().min(0).meta({ description });

const MAILED = {
  sent: count('The provider took their email'),
  delivered: count('As the provider reports'),
  opened: count('Recipients who opened, each once'),
  clicked: count('Recipients who clicked, each once'),
};
const BOUNCED = count('As the provider reports');
const LEFT = { unsubscribed: count('By the link of this email'), bounced: BOUNCED, complained: count('As the provider reports') };

const Funnel = z
  .object({
    matched: count('Whom it was for'),
    left_out: count('Those of them who do not get it; GET /campaigns/:id says why'),
    ...MAILED,
    converted: count('Those of them who did what the goal says, as of `conversions.as_of`')
      .nullable()
      .meta({ description: 'null: it has no goal' }),
    ...LEFT,
  })
  .meta({ id: 'CampaignFunnel', description: "Recipients, as the campaign's own counts have them at this moment" });

const CONVERTED = {
  people: count('Recipients who had such an event in time, each once'),
  events: count('All of these events of theirs'),
  sum: z.number().nullable().meta({ description: 'Of the number in all of these events; null: the goal adds nothing up' }),
  not_summed: count('Events without such a number, which are left out of the sum')
    .nullable()
    .meta({ description: 'null: the goal adds nothing up' }),
};
const OfVariant = z.object(CONVERTED).meta({ id: 'VariantConversions', description: 'What the recipients of one arm did' });

const OfPhase = z
  .object({ recipients: count('Who was queued'), ...MAILED, ...LEFT })
  .meta({ id: 'VariantPhase', description: 'What one arm came to in one phase' });

const share = (description: string) => z.number().min(0).max(1).meta({ description });

const Verdict = z
  .object({
    decideBy: z.enum(DECIDED_BY).meta({ description: 'What counts as a hit; of `hand` nothing does, and nothing is judged' }),
    variants: z
      .array(
        z
          .object({
            key: z.string().meta({ description: 'Of the variant' }),
            mails: count('Emails of the test that the provider took'),
            hits: count('Recipients of the test who did it, each once').nullable().meta({ description: 'null: it is decided by hand' }),
            rate: share('Hits by emails').nullable().meta({ description: 'null: it is decided by hand' }),
            low: share('The true rate is at least this').nullable().meta({ description: 'null: it is decided by hand' }),
            high: share('And at most this, with 95 percent (Wilson)').nullable().meta({ description: 'null: it is decided by hand' }),
          })
          .meta({ id: 'VariantTried', description: 'What a variant came to in the test' }),
      )
      .meta({ description: 'In their order' }),
    leader: z.string().nullable().meta({
      description:
        'The variant with the highest rate now: of several the default, else the first. null: all are equal, or it is decided by hand',
    }),
    reason: z.enum(['significant', 'not_significant', 'small_sample']).nullable().meta({
      description:
        'What the test tells now; the rest gets the default unless it is `significant` when it is decided. null: it is decided by hand',
    }),
    p: share(
      'How likely equal variants differ by chance as much as the leader does from the default, or a default that leads from the next best, ' +
        'times the number of the other variants (two-sided z-test, Bonferroni)',
    )
      .nullable()
      .meta({ description: 'null: too few people, or it is decided by hand' }),
  })
  .meta({ id: 'CampaignVerdict', description: 'What a test tells' });

const Variant = z
  .object({
    key: z.string().meta({ description: 'As it was given' }),
    recipients: count('Who was queued in this arm'),
    ...MAILED,
    ...LEFT,
    conversions: OfVariant.nullable().meta({ description: 'null: it has no goal, or they are still to be counted' }),
    phases: z
      .object({
        test: OfPhase.meta({ description: 'Whom it was tried on' }),
        rest: OfPhase.meta({ description: 'Who got it as the winner' }),
      })
      .meta({ id: 'VariantPhases', description: 'What one arm came to in its test and after it' })
      .nullable()
      .meta({ description: 'null: no test decides' }),
  })
  .meta({ id: 'VariantResults', description: 'What one arm of a test came to' });

const BY_RECEIVER = { ...MAILED, bounced: BOUNCED };

const read = defineRoute({
  method: 'get',
  path: '/campaigns/:id/results',
  scope: 'campaigns:read',
  summary: 'Read what a campaign led to',
  description:
    'The funnel and the counts of variants are those of GET /campaigns/:id. The rest is counted as it is now where the campaign is to ' +
    `${grouped(MOST_COUNTED_AT_ONCE)} recipients at most, else now and then, the rarer the longer its end is past: \`asOf\` says when. ` +
    `It is counted for the last time ${shownPeriod(RESULTS_FINAL_MS)} after its end and stays as it is then. A change of the goal is counted ` +
    'within a minute, or as soon as so many recipients are looked at. People who were erased still count, without their address: among the ' +
    'others; their conversions do not, since their events are gone.',
  params: z.object({ id: PathId.meta({ description: "The campaign's id" }) }),
  query: z.object({
    bucket: z.enum(['hour', 'day']).default('hour').meta({ description: '`hour`: the first 7 days; `day`: the first 60' }),
  }),
  status: 200,
  reply: z.object({
    asOf: Timestamp.nullable().meta({
      description: 'When all but `funnel` and `byVariant` was counted; null: it is still to be, and is empty',
    }),
    funnel: Funnel,
    overTime: z
      .object({
        bucket: z.enum(['hour', 'day']).meta({ description: 'How long each of `counts` is' }),
        counts: z
          .array(
            z
              .object({
                from: Timestamp.meta({ description: 'Where the hour or day begins, in UTC' }),
                opened: count('Recipients who opened for the first time'),
                clicked: count('Recipients who clicked for the first time'),
              })
              .meta({ id: 'FirstHits', description: 'Of one hour or day' }),
          )
          .meta({ description: 'From its begin on, without gaps; what comes later stands in the funnel alone' }),
      })
      .meta({ id: 'HitsOverTime', description: 'When its recipients opened and clicked for the first time' }),
    links: z
      .array(
        z
          .object({
            url: z
              .string()
              .meta({ description: 'Where it leads, without the tracking; without its query where one person alone has followed it' }),
            clicks: count('Repeats included'),
            people: count('Recipients who followed it, each once'),
          })
          .meta({ id: 'LinkClicks', description: 'One link' }),
      )
      .meta({ description: `By clicks, ${MOST_LINKS} at most` }),
    otherLinks: z
      .object({
        links: count('How many more were followed, as far as it is known'),
        clicks: count('On these, and by people who were erased'),
      })
      .meta({ id: 'OtherLinks', description: 'What is not in `links`' }),
    byVariant: z.array(Variant).nullable().meta({ description: 'null: no test' }),
    test: Verdict.nullable().meta({ description: 'null: no test decides' }),
    byReceivers: z
      .array(
        z
          .object({ domain: z.string().meta({ description: 'Behind the @' }), ...BY_RECEIVER })
          .meta({ id: 'ReceiverResults', description: 'What became of the emails to one domain' }),
      )
      .meta({ description: `Domains by emails sent, ${MOST_RECEIVERS} at most` }),
    byLanguages: z
      .array(
        z
          .object({ locale: z.string().nullable().meta({ description: 'null: the default' }), ...BY_RECEIVER })
          .meta({ id: 'CampaignLanguage', description: 'What became of emails in one language' }),
      )
      .meta({ description: 'By the language that the emails were in; empty: the template had its default alone when the campaign began' }),
    otherReceivers: z
      .object({ receivers: count('How many more domains'), ...BY_RECEIVER })
      .meta({ id: 'OtherReceivers', description: 'The others together, and people who were erased' }),
    conversions: z
      .object({
        goal: GoalShown,
        as_of: Timestamp.nullable().meta({ description: 'When they were counted; null: they are still to be' }),
        complete: z.boolean().meta({
          description: `False where events that may have counted were gone by then: events are kept for ${shownPeriod(EVENTS_KEPT_MS)}`,
        }),
        ...CONVERTED,
      })
      .nullable()
      .meta({ id: 'CampaignConversions', description: 'null: it has no goal' }),
  }),
  errors: ['not_found'],
  examples: examples.results,
  async handle({ em, project, now: clock }, { params, query: { bucket } }) {
    const campaign = (await findCampaign(em, project.id, params.id)) ?? notFound('campaign');
    const now = clock();
    const { mails, conversions } = await readResults(em, campaign, now);
    const record = await recordOf(em, campaign);
    // By phase; the record has those of both together.
    const counts = campaign.ab_test ? (await readCampaignCounts(em, [campaign.id])).get(campaign.id) : undefined;
    const { most: links, links: allLinks, clicks } = mails?.links ?? NO_LINKS;
    const { most: byReceivers, others: otherReceivers } = mails?.receivers ?? NO_RECEIVERS;
    const startedAt = begunAt(campaign);
    const found = (bucket === 'day' ? mails?.days : mails?.hours) ?? [];
    const total = campaign.goal && (conversions ? allConversions(conversions) : noConversions(campaign.goal));
    return {
      asOf: mails?.countedAt ?? null,
      funnel: { ...funnelOf(record, campaign.resolved_at !== null), converted: total?.people ?? null },
      overTime: { bucket, counts: campaign.started_at ? overTime(found, { bucket, startedAt, now }) : [] },
      links: [...links],
      otherLinks: { links: allLinks - links.length, clicks: clicks - links.reduce((sum, link) => sum + link.clicks, 0) },
      byVariant: variantsOf(record, counts, conversions),
      test: verdictNow(campaign, counts, conversions),
      byReceivers: [...byReceivers],
      byLanguages: [...(mails?.languages ?? [])],
      otherReceivers,
      conversions:
        campaign.goal && total
          ? {
              goal: campaign.goal,
              as_of: conversions?.countedAt ?? null,
              complete: !conversions || areWhole(conversions, startedAt),
              ...total,
            }
          : null,
    };
  },
});

type Recorded = z.output<typeof CampaignRecord>;

/** Before its audience is found it leaves nobody out. */
function funnelOf(record: Recorded, isResolved: boolean) {
  const { audience_size: matched, total_recipients, skipped_count, cancelled_count } = record;
  const left_out = isResolved ? matched - total_recipients + skipped_count + cancelled_count : 0;
  return { matched, left_out, ...mailed(record) };
}

type Counts = Pick<
  Recorded,
  'sent_count' | 'delivered_count' | 'opened_count' | 'clicked_count' | 'bounced_count' | 'complained_count' | 'unsubscribed_count'
>;

function mailed(counts: Counts) {
  const { sent_count: sent, delivered_count: delivered, opened_count: opened, clicked_count: clicked } = counts;
  const { unsubscribed_count: unsubscribed, bounced_count: bounced, complained_count: complained } = counts;
  return { sent, delivered, opened, clicked, unsubscribed, bounced, complained };
}

type Counted = ReadonlyMap<string, CampaignCounts> | undefined;

function variantsOf({ variants, test }: Recorded, counts: Counted, results: GoalResults | undefined) {
  const phase = (variant: string) => {
    const found = counts?.get(variant) ?? NOTHING_COUNTED;
    return { recipients: found.recipients, ...mailed(byCountName(VARIANT_COUNTERS, (counter) => found[counter])) };
  };
  return (
    variants?.map((variant) => ({
      key: variant.key,
      recipients: variant.recipients,
      ...mailed(variant),
      conversions: results ? conversionsOf(results, variant.key) : null,
      phases: test && { test: phase(variant.key), rest: phase(restOf(variant.key)) },
    })) ?? null
  );
}

function verdictNow({ variants, ab_test: test }: CampaignHead, counts: Counted, results: GoalResults | undefined) {
  if (!test || !variants) return null;
  const arms = triedOf(variants, test.decideBy, counts, results?.byVariant ?? {});
  const shown = arms.map(({ key, mails, hits }) => ({ key, mails, ...ratesOf(mails, hits) }));
  const verdict = test.decideBy === 'hand' ? { leader: null, reason: null, p: null } : verdictOf(arms, test.default);
  return { decideBy: test.decideBy, variants: shown, ...verdict };
}

function ratesOf(mails: number, hits: number | null) {
  if (hits === null) return { hits, rate: null, low: null, high: null };
  return { hits, rate: mails === 0 ? 0 : hits / mails, ...intervalOf({ mails, hits }) };
}

export const routes: readonly Route[] = [read];
