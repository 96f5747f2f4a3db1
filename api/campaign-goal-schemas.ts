import * as z from 'zod';
import { MAX_GOAL_HOURS, MAX_SUM_LENGTH } from '../domain/campaigns/goal.ts';
import { EventType } from './schemas.ts';

const HOURS_RULE = `1 to ${MAX_GOAL_HOURS}`;
const SUM_RULE = `1 to ${MAX_SUM_LENGTH} characters`;

const event = EventType.meta({ description: 'The type of an event of POST /events' });
const withinHours = z
  .int({ error: HOURS_RULE })
  .min(1, { error: HOURS_RULE })
  .max(MAX_GOAL_HOURS, { error: HOURS_RULE })
  .meta({ description: `An event counts that comes at most so many hours after the email was sent, ${HOURS_RULE}` });

export const GoalInput = z
  .strictObject({
    event,
    withinHours,
    sum: z
      .string()
      .min(1, { error: SUM_RULE })
      .max(MAX_SUM_LENGTH, { error: SUM_RULE })
      .nullish()
      .meta({ description: "The name of a number in the event's `data`, which is added up over all of these events" }),
  })
  .meta({
    id: 'CampaignGoalInput',
    description: 'What its recipients are to do: conversions are counted by it. Nothing is sent because of it',
  });

export const GoalShown = z
  .object({ event, withinHours, sum: z.string().nullable().meta({ description: 'null: nothing is added up' }) })
  .meta({ id: 'CampaignGoal', description: 'What counts as a conversion' });
