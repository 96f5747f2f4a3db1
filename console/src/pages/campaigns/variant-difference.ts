import { percent } from '../../show/percent.ts';
import type { Variant } from './campaign-queries.ts';

/** Mails of each variant: of fewer no difference says anything. */
export const FEWEST_SENT = 100;
/** Of each variant, those who did and those who did not: of fewer the test below does not hold. */
const FEWEST_EACH = 5;
/** How far apart two shares have to be, in standard errors, to be taken for more than chance in one case of twenty, by the number of pairs. */
const APART: Readonly<Record<number, number>> = { 1: 1.96, 3: 2.39, 6: 2.64 };

const MEASURES = [
  { name: 'opened_count', did: 'opened' },
  { name: 'clicked_count', did: 'clicked' },
] as const;

type Counts = Pick<Variant, 'key' | 'sent_count' | 'opened_count' | 'clicked_count'>;

/** What the arms of a test say about each other, a sentence for opens and one for clicks. None is called better where that may be chance. */
export function differencesOf(variants: readonly Counts[]): readonly string[] {
  if (variants.some(({ sent_count }) => sent_count < FEWEST_SENT))
    return [`Not enough data to compare: each variant needs at least ${FEWEST_SENT} emails.`];
  return MEASURES.map(({ name, did }) => {
    const [first, second] = variants.toSorted((one, other) => other[name] / other.sent_count - one[name] / one.sent_count);
    if (!first || !second) return '';
    const shares = `${percent(first[name], first.sent_count)} of ${first.key}, ${percent(second[name], second.sent_count)} of ${second.key}`;
    const isFew = [first, second].some((one) => one[name] < FEWEST_EACH || one.sent_count - one[name] < FEWEST_EACH);
    if (isFew) return `Not enough data: too few ${did}. ${shares}.`;
    const pairs = (variants.length * (variants.length - 1)) / 2;
    const isTold = standardErrorsApart([first[name], first.sent_count], [second[name], second.sent_count]) > (APART[pairs] ?? APART[6]!);
    return isTold ? `${first.key} is ahead: significantly more ${did} (${shares}).` : `No significant difference in who ${did}: ${shares}.`;
  });
}

type Part = readonly [part: number, whole: number];

/** Of two shares, by their common share. */
function standardErrorsApart([part, whole]: Part, [otherPart, otherWhole]: Part): number {
  const common = (part + otherPart) / (whole + otherWhole);
  const error = Math.sqrt(common * (1 - common) * (1 / whole + 1 / otherWhole));
  return error === 0 ? 0 : Math.abs(part / whole - otherPart / otherWhole) / error;
}
