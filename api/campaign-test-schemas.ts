import * as z from 'zod';
import {
  DECIDED_BY,
  DECISION_REASONS,
  FEWEST_MAILS,
  MAX_TEST_HOURS,
  MAX_TEST_SHARE,
  SIGNIFICANT_BELOW,
} from '../domain/campaigns/ab-test.ts';
import { Timestamp } from './schemas.ts';

const SHARE_RULE = `a whole number from 1 to ${MAX_TEST_SHARE}`;
const HOURS_RULE = `a whole number from 1 to ${MAX_TEST_HOURS}`;

const share = z
  .int({ error: SHARE_RULE })
  .min(1, { error: SHARE_RULE })
  .max(MAX_TEST_SHARE, { error: SHARE_RULE })
  .meta({ description: 'Percent of the recipients whom each variant is tried on; the rest waits for the winner' });
const decideBy = z.enum(DECIDED_BY).meta({
  description:
    'What the winner is found by: recipients of the test who opened, who clicked, or who did what the goal says; `hand`: POST /campaigns/:id/winner alone',
});
const hours = z.int({ error: HOURS_RULE }).min(1, { error: HOURS_RULE }).max(MAX_TEST_HOURS, { error: HOURS_RULE }).meta({
  description: 'Hours between the last email of the test and the decision; of `hand`: after which the default goes, where nobody has said',
});
const arm = z.string().max(32, { error: 'the key of a variant' });

export const AbTestInput = z
  .strictObject({
    share,
    decideBy,
    afterHours: hours.nullish(),
    default: arm
      .nullish()
      .meta({ description: 'The variant that the rest gets where the test does not tell which is better; the first when omitted' }),
  })
  .meta({ id: 'CampaignTestInput', description: 'The variants are tried on some, and the winner goes to the rest' });

const Tried = z
  .object({
    key: z.string().meta({ description: 'Of the variant' }),
    mails: z.int().meta({ description: 'Emails of the test that the provider took' }),
    hits: z.int().nullable().meta({ description: 'Recipients who did what it is decided by, each once; null: it is decided by hand' }),
  })
  .meta({ id: 'TriedVariant', description: 'What a variant came to in the test' });

const DecisionReasonName = z.enum(DECISION_REASONS).meta({
  id: 'CampaignDecisionReason',
  description:
    `\`significant\`: the best variant would hardly be so far from the default, or a default that is the best from the next, if they were equal ` +
    `(p below ${SIGNIFICANT_BELOW}, corrected for the number of comparisons): the best one won. ` +
    `\`not_significant\`: they might; the default goes. \`small_sample\`: fewer than ${FEWEST_MAILS} emails of a variant, or hardly any hits, tell nothing; the default goes. ` +
    '`by_hand`: somebody chose it. `not_chosen`: nobody chose in time; the default goes',
});

const KEPT = {
  share,
  decideBy,
  afterHours: hours.nullable().meta({ description: 'null: it waits for somebody' }),
  default: z.string().nullable().meta({ description: 'null: the first variant' }),
};

export const AbTestKept = z.object(KEPT).meta({ id: 'RecurringCampaignTest', description: 'How the variants of each campaign are tried' });

export const AbTestShown = z
  .object({
    ...KEPT,
    decides_at: Timestamp.nullable().meta({
      description: 'null: before the last email of the test has its outcome, or it waits for somebody',
    }),
    decision: z
      .object({
        winner: z.string().meta({ description: 'The variant that the rest gets' }),
        reason: DecisionReasonName,
        at: Timestamp.meta({ description: 'When it was decided' }),
        variants: z.array(Tried).meta({ description: 'As they stood then' }),
      })
      .meta({ id: 'CampaignDecision', description: 'What the rest gets, and why' })
      .nullable()
      .meta({ description: 'null: it is not decided; the rest waits' }),
  })
  .meta({ id: 'CampaignTest', description: 'How the variants are tried, and what came of it' });
