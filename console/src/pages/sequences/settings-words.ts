import { LONGEST_CAP_WAIT_HOURS } from '../../api/limits.ts';
import { keysOf } from '../../frame/choices.ts';
import { durationWords } from '../../show/duration-words.ts';
import { choiceWords } from '../../show/send-window-words.ts';
import { conditionWords } from '../segments/filter-words.ts';
import type { SequenceGraph } from './sequence-queries.ts';

const REENTRY: Readonly<Record<SequenceGraph['reentry'], string>> = {
  once_ever: 'once only',
  once_active: 'again after their run has ended',
  always: 'any time, even several times at once',
};

/** What enters contacts. */
export function enteredWords({ triggers }: Pick<SequenceGraph, 'triggers'>): string {
  if (triggers.length === 0) return 'manual enrollment or API only';
  return triggers.map((trigger) => `${triggerWords(trigger)}${trigger.enabled ? '' : ' (off)'}`).join('; ');
}

function triggerWords({ kind, config }: SequenceGraph['triggers'][number]): string {
  if (kind === 'segment') return `whoever joins ${config.segment}`;
  if (kind === 'date') return dateWords(config);
  return `${config.type}${config.match ? `, if ${conditionWords(config.match)}` : ''}`;
}

export type DateConfig = Extract<SequenceGraph['triggers'][number], { kind: 'date' }>['config'];

/** What a contact has a date in beside its attributes. */
export const DAY_ADDED = 'the day added';

/** Like `3 days before birthday every year at 09:00, contact time`. */
export function dateWords({ attribute, field, every, daysBefore, daysAfter, at, timezone }: DateConfig): string {
  const days = daysBefore ?? daysAfter;
  const side = days ? `${durationWords(days * 1440)} ${daysBefore ? 'before' : 'after'} ` : 'on ';
  return `${side}${field ? DAY_ADDED : attribute}${every ? ' every year' : ''} at ${at}, ${timezone === 'contact' ? 'contact time' : (timezone ?? 'UTC')}`;
}

/** Whether and when a contact enters once more. */
export function againWords({ reentry, cooldownHours }: Pick<SequenceGraph, 'reentry' | 'cooldownHours'>): string {
  return `${REENTRY[reentry]}${cooldownHours ? `, ${durationWords(cooldownHours * 60)} apart` : ''}`;
}

/** How long an email that is over a frequency cap waits. */
export const CAP_WAIT = durationWords(LONGEST_CAP_WAIT_HOURS * 60);

/** undefined: there is none. */
export function capWords({ frequencyCap: cap }: Pick<SequenceGraph, 'frequencyCap'>): string | undefined {
  return cap ? `${cap.count} marketing emails in ${durationWords(cap.windowHours * 60)}` : undefined;
}

/** undefined: there is none. */
export function goalWords({ goal }: Pick<SequenceGraph, 'goal'>): string | undefined {
  if (!goal) return undefined;
  const { event, condition } = goal;
  const ofEvent = event && `event ${event.type}${event.match ? ` if ${conditionWords(event.match)}` : ''}`;
  return [ofEvent, condition && conditionWords(condition)].filter(Boolean).join(', or ');
}

/** What is set of a sequence beside its steps, as its graph names it. */
export type SettingName = Exclude<keyof SequenceGraph, 'key' | 'version' | 'status' | 'nodes' | 'edges'>;

export interface Setting {
  readonly name: string;
  readonly of: (graph: SequenceGraph) => unknown;
  /** undefined: there is none. */
  readonly words: (graph: SequenceGraph) => string | undefined;
}

const AGAIN: Setting = { name: 'enters again', of: ({ reentry, cooldownHours }) => [reentry, cooldownHours], words: againWords };

/** Every setting as changes name it; one that the API has and this has not fails the type check here. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  name: { name: 'name', of: ({ name }) => name, words: ({ name }) => name },
  triggers: { name: 'entered by', of: ({ triggers }) => triggers, words: enteredWords },
  reentry: AGAIN,
  cooldownHours: AGAIN,
  goal: { name: 'goal', of: ({ goal }) => goal, words: goalWords },
  sendWindow: { name: 'send window', of: ({ sendWindow }) => sendWindow, words: ({ sendWindow }) => choiceWords(sendWindow) },
  frequencyCap: { name: 'frequency cap', of: ({ frequencyCap }) => frequencyCap, words: capWords },
};
export const SETTING_NAMES = keysOf(SETTINGS);
