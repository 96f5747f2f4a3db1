import * as z from 'zod';
import { COUNTED_TO } from '../../../db/queries/operations/attention.ts';
import { Timestamp } from '../../schemas.ts';

const KINDS = [
  'provider_passed_over',
  'provider_allowance_used',
  'owner_unverified',
  'brand_without_sender',
  'domain_unverified',
  'domain_failing',
  'domain_key_awaited',
  'reputation_domain',
  'reputation_receiver',
  'webhook_failing',
  'campaign_held',
  'campaign_without_segment',
  'recurring_held',
  'recurring_not_made',
  'runs_held',
  'sequence_failing',
  'rendering_failed',
  'scheduled_overdue',
] as const;

/** As GET /attention tells it. */
export const Item = z
  .object({
    kind: z.enum(KINDS).meta({ description: 'What it is about' }),
    message: z.string().meta({ description: 'For people: what is the matter and what to do. Its words may change' }),
    about: z.string().nullable().meta({
      description:
        'The name of the mail provider, the id of the endpoint, campaign, recurring campaign or domain, the slug of the brand, the reason of the runs that are held, the key of the sequence or of the template, the sending domain or receiver of a reputation; of emails whose content a call brought null',
    }),
    count: z
      .int()
      .nullable()
      .meta({ description: `How many deliveries, runs or emails, counted up to ${COUNTED_TO}; null where nothing is counted` }),
    sequences: z
      .array(z.string())
      .optional()
      .meta({ description: 'Of runs that are held: the keys of their sequences, the one with the most of them first' }),
    since: Timestamp.optional().meta({
      description:
        'Of what failed: from when on it is counted; of a domain or a mail provider, since when; of a reputation, of which emails',
    }),
    reason: z.string().optional().meta({
      description:
        'Of what failed: the commonest reason, as runs and the send log have it, cut off at 200 characters; of a mail provider, what it said',
    }),
  })
  .meta({ id: 'AttentionItem', description: 'One thing that needs a look' });

export type Item = z.output<typeof Item>;
