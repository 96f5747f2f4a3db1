import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RESULTS_FINAL_MS } from '../../domain/campaigns/results.ts';
import {
  ANSWERS_KEPT_MS,
  DATE_ENTRIES_KEPT_MS,
  DELIVERIES_KEPT_MS,
  EVENTS_KEPT_MS,
  FOREIGN_REPORTS_KEPT_MS,
  HITS_KEPT_MS,
  IMPORTS_KEPT_MS,
  LEFT_OUT_KEPT_MS,
  REPORTS_KEPT_MS,
  REPUTATION_KEPT_MS,
  THROTTLE_PASSES_KEPT_MS,
  TRACES_KEPT_MS,
  UPLOADS_KEPT_MS,
} from '../../domain/operations/retention.ts';
import { shownPeriod } from '../../domain/shown-text.ts';

/** With `…` for the time. */
const SENTENCES: readonly (readonly [page: string, sentence: string, times: readonly number[]])[] = [
  ['docs/operations.md', '(`events`) | … |', [EVENTS_KEPT_MS]],
  ['docs/operations.md', '(`event_types`, for `GET /vocabulary`) | … from the last event |', [EVENTS_KEPT_MS]],
  ['docs/operations.md', 'that no delivery has any more | … from the last attempt |', [DELIVERIES_KEPT_MS]],
  ['docs/operations.md', '(`enrollment_steps`) | … from the end of the enrollment |', [TRACES_KEPT_MS]],
  ['docs/operations.md', '(`enrollment_actions`) | … |', [TRACES_KEPT_MS]],
  ['docs/contract/sequences.md', 'They are kept for … after they began;', [TRACES_KEPT_MS]],
  ['docs/operations.md', '(`campaign_left_out`) | … |', [LEFT_OUT_KEPT_MS]],
  ['docs/operations.md', '(`refused_entries`) | … |', [EVENTS_KEPT_MS]],
  ['docs/contract/events.md', 'timeline has for … that the event was refused', [EVENTS_KEPT_MS]],
  ['docs/operations.md', '(`date_entries`) | … |', [DATE_ENTRIES_KEPT_MS]],
  ['docs/operations.md', '(`import_refusals`) | … |', [IMPORTS_KEPT_MS]],
  ['docs/contract/contacts.md', 'Imports and refused rows are kept for …;', [IMPORTS_KEPT_MS]],
  ['docs/contract/campaigns.md', 'Both are kept for ….', [LEFT_OUT_KEPT_MS]],
  ['docs/operations.md', 'as they were … after the end of the campaign |', [RESULTS_FINAL_MS]],
  ['docs/contract/campaigns.md', 'counted for the last time … after the end of the campaign', [RESULTS_FINAL_MS]],
  ['docs/contract/campaigns.md', 'only events count that are still there (…)', [EVENTS_KEPT_MS]],
  ['docs/operations.md', 'stored answers of idempotency keys | … |', [ANSWERS_KEPT_MS]],
  ['docs/operations.md', '(`throttle_passes`) | … |', [THROTTLE_PASSES_KEPT_MS]],
  ['docs/operations.md', '(`reputation_counts`) | … |', [REPUTATION_KEPT_MS]],
  ['docs/contract/sends.md', 'The counts are kept for ….', [REPUTATION_KEPT_MS]],
  ['docs/operations.md', 'which links were hit | … from the last hit |', [HITS_KEPT_MS]],
  ['docs/operations.md', 'reports of providers | …; … where no send is known |', [REPORTS_KEPT_MS, FOREIGN_REPORTS_KEPT_MS]],
  ['docs/operations.md', 'Reports for unknown sends wait … |', [FOREIGN_REPORTS_KEPT_MS]],
  ['docs/limits.md', 'deliveries and their attempts are kept | … |', [DELIVERIES_KEPT_MS]],
  ['docs/limits.md', 'Product events are kept for …,', [EVENTS_KEPT_MS]],
  ['docs/webhooks.md', 'shows for … what was sent', [DELIVERIES_KEPT_MS]],
  ['docs/idempotency.md', '`POST /sequences/:key/enrollments/actions` | the stored answer, for … |', [ANSWERS_KEPT_MS]],
  ['docs/idempotency.md', 'zero counts, for … |', [ANSWERS_KEPT_MS]],
  ['docs/scale.md', 'lose their old rows (…, …, …: `operations.md`)', [EVENTS_KEPT_MS, DELIVERIES_KEPT_MS, TRACES_KEPT_MS]],
  ['docs/contract/files.md', 'or until … after its last use', [UPLOADS_KEPT_MS]],
  ['docs/files.md', 'lives for … after its last use', [UPLOADS_KEPT_MS]],
  ['docs/contract/events.md', 'The event row is kept for …,', [EVENTS_KEPT_MS]],
  ['docs/contract/idempotency.md', 'Answers are kept for …,', [ANSWERS_KEPT_MS]],
  ['docs/contract/inbound.md', 'Each provider event counts once, for ….', [REPORTS_KEPT_MS]],
  ['docs/contract/inbound.md', 'The event is kept for …,', [FOREIGN_REPORTS_KEPT_MS]],
  ['docs/contract/unsubscribe.md', 'Which link was hit is kept for ….', [HITS_KEPT_MS]],
  ['docs/contract/webhooks.md', 'as long as it is pending and for … from its last attempt on.', [DELIVERIES_KEPT_MS]],
  ['console/src/pages/sequences/run-steps.tsx', 'Steps are deleted … after a run ends', [TRACES_KEPT_MS]],
];

test.each(SENTENCES)('%s tells how long something is kept as it is: %s', (page, sentence, times) => {
  const told = times.reduce((text, ms) => text.replace('…', shownPeriod(ms)), sentence);
  expect(readFileSync(page, 'utf8')).toContain(told);
});
