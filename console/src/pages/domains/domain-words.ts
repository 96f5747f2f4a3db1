import type { Schemas } from '../../api/client.ts';
import { capitalized } from '../../letters.ts';
import { awaitedKeys, isOptional, labelsOf } from './record-words.ts';

/** For a notice. */
export interface CheckWords {
  readonly title: string;
  readonly text: string;
  readonly isGood: boolean;
}

/** What a look at DNS that somebody asked for came to. */
export function checkWords({ verified, records }: Pick<Schemas['SendingDomainWithRecords'], 'verified' | 'records'>): CheckWords {
  const silent = records.filter(({ unavailable, action }) => unavailable !== null && action !== 'remove');
  if (silent.length > 0) {
    return {
      title: `DNS did not answer for ${labelsOf(silent, records)}`,
      text: `${capitalized(silent[0]?.unavailable ?? '')}. What was known before stays as it was. Try again in a moment.`,
      isGood: false,
    };
  }
  const lacking = records.filter(({ state, action }) => state !== 'found' && action !== 'remove');
  const required = lacking.filter((record) => record.required);
  if (required.length > 0) {
    return {
      title: `Not found as it should be: ${labelsOf(required, records)}`,
      text: 'A record that was set or changed just now can take minutes to be seen, sometimes hours. Everpost looks again by itself.',
      isGood: false,
    };
  }
  const helpful = lacking.filter(({ purpose }) => purpose !== 'dkim' && !isOptional(purpose));
  const kept = lacking.filter(({ action }) => action === 'keep');
  const awaited = awaitedKeys(records);
  const words = [
    ...(verified ? ['Email can be sent from this domain.'] : []),
    ...(awaited.length > 0 ? [`Not found yet: ${labelsOf(awaited, records)}. Everpost looks again by itself.`] : []),
    ...(kept.length > 0 ? [`To be kept, but not found: ${labelsOf(kept, records)}.`] : []),
    ...(helpful.length > 0 ? [`${labelsOf(helpful, records)} would help your email to arrive.`] : []),
  ];
  return {
    title: 'All required records are there',
    text: words.join(' '),
    isGood: true,
  };
}
