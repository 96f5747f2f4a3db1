import { expect, test } from 'vitest';
import { MAX_PEOPLE } from '../../api/campaign-audience-schemas.ts';
import { FEWEST_VARIANTS, MAX_CAMPAIGN_RATE, MAX_VARIANTS } from '../../api/campaign-schemas.ts';
import { MAX_COUNT } from '../../api/recurring-schemas.ts';
import * as shown from '../../console/src/api/limits.ts';
import { MAX_TEST_HOURS, MAX_TEST_SHARE } from '../../domain/campaigns/ab-test.ts';
import { MAX_GOAL_HOURS, MAX_SUM_LENGTH } from '../../domain/campaigns/goal.ts';
import { MAX_INTERVAL } from '../../domain/campaigns/recurrence.ts';
import { MAX_ENDS_AFTER_MINUTES } from '../../domain/campaigns/recurring.ts';
import { BETWEEN_CONFIRMATION_MAILS_MS, MAX_PRUNE_DAYS, MAX_REMINDER_HOURS } from '../../domain/contacts/confirmation.ts';
import { MAX_SOURCE_LENGTH, MAX_USER_AGENT_LENGTH } from '../../domain/contacts/contact.ts';
import { MAX_IMPORT_MB, MAX_IMPORT_ROWS, MOST_IMPORT_PROBLEMS } from '../../domain/contacts/import.ts';
import { MAX_TAGS } from '../../domain/contacts/tags.ts';
import { MAX_TOPIC_DESCRIPTION } from '../../domain/contacts/topic.ts';
import { OVERLAP_MS } from '../../domain/domains/key-turns.ts';
import { GRACE_MS } from '../../domain/domains/standing.ts';
import { MAX_POSTAL_ADDRESS } from '../../domain/projects/brand.ts';
import { MAX_LABEL_LENGTH } from '../../domain/segments/segment-label.ts';
import { HIGHEST_STEP, MOST_STEPS, USUAL_STEPS } from '../../domain/sends/ramp-steps.ts';
import { FEWEST_MAILS } from '../../domain/sends/reputation.ts';
import { CAP_PATIENCE_MS } from '../../domain/sends/submission-times.ts';
import { MAX_CAP_HOURS } from '../../domain/sequences/frequency-cap.ts';
import { MOST_STEPS_A_MINUTE } from '../../domain/sequences/pace.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH, MAX_URL_LENGTH } from '../../domain/text-lengths.ts';
import { MOST_ATTEMPTS } from '../../domain/webhooks/delivery.ts';
import { MOST_OVERLAP_HOURS } from '../../domain/webhooks/endpoint.ts';
import { MOST_COUNTED } from '../../domain/webhooks/retry.ts';

test('the console stops and counts where the API does', () => {
  expect({ ...shown }).toEqual({
    MOST_TAGS: MAX_TAGS,
    MOST_IMPORT_MB: MAX_IMPORT_MB,
    MOST_IMPORT_ROWS: MAX_IMPORT_ROWS,
    MOST_PROBLEMS: MOST_IMPORT_PROBLEMS,
    LONGEST_NAME: MAX_NAME_LENGTH,
    LONGEST_SOURCE: MAX_SOURCE_LENGTH,
    LONGEST_USER_AGENT: MAX_USER_AGENT_LENGTH,
    LONGEST_SEGMENT_LABEL: MAX_LABEL_LENGTH,
    LONGEST_SUBJECT: MAX_SUBJECT_LENGTH,
    LONGEST_URL: MAX_URL_LENGTH,
    LONGEST_ADDRESS: MAX_POSTAL_ADDRESS,
    LONGEST_TOPIC_DESCRIPTION: MAX_TOPIC_DESCRIPTION,
    MOST_REMINDER_HOURS: MAX_REMINDER_HOURS,
    MOST_PRUNE_DAYS: MAX_PRUNE_DAYS,
    HOURS_BETWEEN_CONFIRMATIONS: BETWEEN_CONFIRMATION_MAILS_MS / 3_600_000,
    MOST_PEOPLE: MAX_PEOPLE,
    FASTEST_CAMPAIGN: MAX_CAMPAIGN_RATE,
    MOST_VARIANTS: MAX_VARIANTS,
    FEWEST_VARIANTS,
    MOST_GOAL_HOURS: MAX_GOAL_HOURS,
    LONGEST_SUM: MAX_SUM_LENGTH,
    MOST_INTERVAL: MAX_INTERVAL,
    MOST_RUNS: MAX_COUNT,
    LONGEST_RUN_MINUTES: MAX_ENDS_AFTER_MINUTES,
    MOST_CAP_HOURS: MAX_CAP_HOURS,
    LONGEST_CAP_WAIT_HOURS: CAP_PATIENCE_MS / 3_600_000,
    MOST_STEPS_A_MINUTE,
    MOST_ATTEMPTS,
    MOST_COUNTED,
    MOST_OVERLAP_HOURS,
    LARGEST_TEST_SHARE: MAX_TEST_SHARE,
    MOST_TEST_HOURS: MAX_TEST_HOURS,
    FEWEST_RATED_MAILS: FEWEST_MAILS,
    DOMAIN_GRACE_HOURS: GRACE_MS / 3_600_000,
    KEY_OVERLAP_DAYS: OVERLAP_MS / 86_400_000,
    MOST_RAMP_STEPS: MOST_STEPS,
    HIGHEST_RAMP_STEP: HIGHEST_STEP,
    USUAL_RAMP: USUAL_STEPS,
  });
});
