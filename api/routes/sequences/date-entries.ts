import * as z from 'zod';
import { upcomingEntries } from '../../../db/queries/sequences/date-entries.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { notFound } from '../../../domain/errors.ts';
import { EnteredDate } from '../../../domain/sequences/schema.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { unvalidated } from '../../../domain/unvalidated.ts';
import { AHEAD_MS } from '../../../usecases/sequences/enter-by-date.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Timestamp } from '../../schemas.ts';
import { SequenceKeyParam } from '../../sequence-schemas.ts';

const MINUTE_MS = 60_000;

/** So many are a number that tells what is coming. */
const COUNTED_TO = 10_000;

const Upcoming = z
  .object({
    config: unvalidated(EnteredDate),
    planned: z
      .int()
      .meta({ description: `How many contacts are to enter as far as it is planned, counted to ${COUNTED_TO.toLocaleString('en')}` }),
    next: z
      .object({
        at: Timestamp.meta({ description: 'When the first of them enter' }),
        count: z.int().meta({ description: 'How many do then, likewise' }),
      })
      .nullable()
      .meta({ description: 'null: nobody until then' }),
    lookAt: Timestamp.nullable().meta({ description: 'When the dates of all contacts are looked at again; null: now' }),
  })
  .meta({ id: 'UpcomingEntries', description: 'Who is about to enter by one date' });

const read = defineRoute({
  method: 'get',
  path: '/sequences/:key/date-entries',
  scope: 'sequences:read',
  summary: 'Count who is about to enter a sequence by a date',
  description:
    `By each date trigger that is on, as far as it is planned: the dates of all contacts are looked at every ten minutes or so, for the next ${shownPeriod(AHEAD_MS)}. ` +
    'Who enters is decided at the time, by what the contact is then. Of a sequence that is not active nothing is planned.',
  params: SequenceKeyParam,
  status: 200,
  reply: z.object({
    dates: z.array(Upcoming).meta({ description: 'One for each trigger' }),
    aheadMinutes: z.int().meta({ description: 'So far ahead each look plans' }),
  }),
  errors: ['not_found'],
  examples: examples.dateEntries,
  async handle({ em, project }, { params }) {
    const sequence = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const upcoming = await upcomingEntries(em, sequence.id, COUNTED_TO);
    return {
      dates: upcoming.map(({ rule, planned, first, first_at, look_at }) => ({
        config: rule,
        planned,
        next: first_at && { at: first_at, count: first },
        lookAt: look_at,
      })),
      aheadMinutes: AHEAD_MS / MINUTE_MS,
    };
  },
});

export const routes: readonly Route[] = [read];
