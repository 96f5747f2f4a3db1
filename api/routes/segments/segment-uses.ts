import * as z from 'zod';
import { campaignsFor, recurringFor, sequencesUsing } from '../../../db/queries/segments/segment-uses.ts';
import { findSegment } from '../../../db/queries/segments/segments.ts';
import { segmentKey } from '../../../domain/conditions/needs.ts';
import { notFound } from '../../../domain/errors.ts';
import { SequenceStatusName } from '../../../domain/sequences/schema.ts';
import { CampaignStatusName } from '../../campaign-schemas.ts';
import * as examples from '../../examples/segment-examples.ts';
import { RecurringStatusName } from '../../recurring-schemas.ts';
import { defineRoute, type Route } from '../../route.ts';
import { PathId, Timestamp } from '../../schemas.ts';

/** Of each sort, so that the answer is small however much there is. */
const MOST_NAMED = 20;

const Count = z.int().nullable().meta({ description: 'All of them; null: the key may not read them' });

const read = defineRoute({
  method: 'get',
  path: '/segments/:id/uses',
  scope: 'segments:read',
  summary: 'List what uses a segment',
  description:
    `Sequences that are not archived and have it as a trigger or ask for it in a condition, by name, campaigns to it that have not begun, and recurring ones that have not ended, the newest first: up to ${MOST_NAMED} of each. ` +
    'A key that may not read sequences or campaigns gets none of them, and null for their number.',
  params: z.object({ id: PathId.meta({ description: "The segment's id" }) }),
  status: 200,
  reply: z.object({
    sequences: z
      .array(
        z.object({
          key: z.string().meta({ description: 'Of the sequence' }),
          name: z.string().meta({ description: 'For people' }),
          status: SequenceStatusName,
          isTrigger: z.boolean().meta({ description: 'Whoever becomes a member enters it' }),
          isCondition: z.boolean().meta({ description: 'A condition of it asks who is a member' }),
        }),
      )
      .meta({ description: `Up to ${MOST_NAMED}` }),
    sequenceCount: Count,
    campaigns: z
      .array(
        z.object({
          id: z.uuid().meta({ description: 'Of the campaign' }),
          name: z.string().meta({ description: 'For people; empty: it has none' }),
          subject: z.string().meta({ description: 'Liquid; empty: it has none yet' }),
          template: z.string().meta({ description: 'Its key; empty: it has none yet' }),
          status: CampaignStatusName.meta({ description: 'draft or scheduled' }),
          scheduled_at: Timestamp.nullable().meta({ description: 'When it begins; null: that is not said' }),
        }),
      )
      .meta({ description: `Up to ${MOST_NAMED}` }),
    campaignCount: Count,
    recurringCampaigns: z
      .array(
        z.object({
          id: z.uuid().meta({ description: 'Of the recurring campaign' }),
          name: z.string().meta({ description: 'For people; empty: it has none' }),
          template: z.string().meta({ description: 'Its key' }),
          status: RecurringStatusName.meta({ description: 'active or paused' }),
          next_run: Timestamp.nullable().meta({ description: 'null: it is paused' }),
        }),
      )
      .meta({ description: `Up to ${MOST_NAMED}` }),
    recurringCount: Count,
  }),
  errors: ['not_found'],
  examples: examples.uses,
  async handle({ em, project, hasScope }, { params }) {
    const segment = (await findSegment(em, project.id, params.id)) ?? notFound('segment');
    const [sequences, campaigns, recurring] = await Promise.all([
      hasScope('sequences:read') ? sequencesUsing(em, project.id, segmentKey(segment.label), MOST_NAMED) : undefined,
      hasScope('campaigns:read') ? campaignsFor(em, project.id, segment.id, MOST_NAMED) : undefined,
      hasScope('campaigns:read') ? recurringFor(em, project.id, segment.id, MOST_NAMED) : undefined,
    ]);
    return {
      sequences: (sequences?.first ?? []).map(({ enters, asks, ...one }) => ({ ...one, isTrigger: enters, isCondition: asks })),
      sequenceCount: sequences?.count ?? null,
      campaigns: [...(campaigns?.first ?? [])],
      campaignCount: campaigns?.count ?? null,
      recurringCampaigns: (recurring?.first ?? []).map(({ next_due_at, ...one }) => ({ ...one, next_run: next_due_at })),
      recurringCount: recurring?.count ?? null,
    };
  },
});

export const routes: readonly Route[] = [read];
