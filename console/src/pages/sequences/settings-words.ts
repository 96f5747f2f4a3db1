import { durationWords } from '../../show/duration-words.ts';
import { conditionWords } from '../segments/filter-words.ts';
import type { SequenceGraph } from './sequence-queries.ts';

const REENTRY: Readonly<Record<SequenceGraph['reentry'], string>> = {
  once_ever: 'only once',
  once_active: 'again when their run has ended',
  always: 'at any time, also several times at once',
};

/** What enters contacts. */
export function enteredWords({ triggers }: Pick<SequenceGraph, 'triggers'>): string {
  if (triggers.length === 0) return 'nobody by itself: enrolled by hand or by a program';
  const words = triggers.map(
    ({ config, enabled }) => `${config.type}${config.match ? `, if ${conditionWords(config.match)}` : ''}${enabled ? '' : ' (off)'}`,
  );
  return words.join('; ');
}

/** Whether and when a contact enters once more. */
export function againWords({ reentry, cooldownHours }: Pick<SequenceGraph, 'reentry' | 'cooldownHours'>): string {
  return `${REENTRY[reentry]}${cooldownHours ? `, ${durationWords(cooldownHours * 60)} apart` : ''}`;
}

/** undefined: there is none. */
export function capWords({ frequencyCap: cap }: Pick<SequenceGraph, 'frequencyCap'>): string | undefined {
  return cap ? `${cap.count} marketing mails in ${durationWords(cap.windowHours * 60)}` : undefined;
}

/** undefined: there is none. */
export function goalWords({ goal }: Pick<SequenceGraph, 'goal'>): string | undefined {
  if (!goal) return undefined;
  const { event, condition } = goal;
  const ofEvent = event && `event ${event.type}${event.match ? ` if ${conditionWords(event.match)}` : ''}`;
  return [ofEvent, condition && conditionWords(condition)].filter(Boolean).join(', or ');
}
