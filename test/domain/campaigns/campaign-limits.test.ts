import { expect, test } from 'vitest';
import { type JudgedCounts, limitExceeded, pausedWords } from '../../../domain/campaigns/campaign-limits.ts';

const NONE = { bounceRate: null, complaintRate: null };
const BOTH = { bounceRate: 0.05, complaintRate: 0.003 };
const NOTHING: JudgedCounts = { sent: 0, failed: 0, bounced: 0, complained: 0 };

test.each([
  ['nothing was tried', BOTH, {}, undefined],
  ['there is no limit', NONE, { sent: 1_000, bounced: 1_000, complained: 1_000 }, undefined],
  ['too few were tried', BOTH, { sent: 60, failed: 39, bounced: 99 }, undefined],
  ['the share is what is allowed', BOTH, { sent: 1_000, bounced: 50, complained: 3 }, undefined],
  ['one more bounced', BOTH, { sent: 1_000, bounced: 51 }, { limit: 'bounceRate', value: 0.05, count: 51, mails: 1_000 }],
  ['all were refused at once', BOTH, { failed: 100, bounced: 100 }, { limit: 'bounceRate', value: 0.05, count: 100, mails: 100 }],
  ['one more complained', BOTH, { sent: 1_000, complained: 4 }, { limit: 'complaintRate', value: 0.003, count: 4, mails: 1_000 }],
  [
    'complaints are of those sent',
    BOTH,
    { sent: 100, failed: 900, complained: 1 },
    { limit: 'complaintRate', value: 0.003, count: 1, mails: 100 },
  ],
  ['only complaints have a limit', { ...NONE, complaintRate: 1 }, { sent: 100, bounced: 100, complained: 100 }, undefined],
] as const)('where %s', (_, limits, counts, wanted) => {
  expect(limitExceeded(limits, { ...NOTHING, ...counts }, null)).toEqual(wanted);
});

test('after a resumption only what came since is judged, a hundred mails at least', () => {
  const judged = { sent: 500, failed: 20, bounced: 100, complained: 0 };
  const since = (counts: Partial<JudgedCounts>) => limitExceeded(BOTH, { ...judged, ...counts }, judged);
  expect(since({})).toBeUndefined();
  expect(since({ sent: 599, bounced: 199 })).toBeUndefined();
  expect(since({ sent: 600, bounced: 105 })).toBeUndefined();
  expect(since({ sent: 600, bounced: 106 })).toEqual({ limit: 'bounceRate', value: 0.05, count: 6, mails: 100 });
  // Failed ones that were sent again count as sent.
  expect(since({ sent: 600, failed: 0, bounced: 106 })).toEqual({ limit: 'bounceRate', value: 0.05, count: 6, mails: 100 });
});

test('why it has paused is said in numbers', () => {
  expect(pausedWords({ limit: 'bounceRate', value: 0.05, count: 75, mails: 1_204 })).toBe(
    '6.23 % of 1,204 emails bounced, and the limit is 5 %',
  );
  expect(pausedWords({ limit: 'complaintRate', value: 0.003, count: 4, mails: 1_000 })).toBe(
    '0.4 % of 1,000 emails were reported as spam, and the limit is 0.3 %',
  );
});
