import type { Schemas } from '../api/client.ts';

/** From Monday on, which is 1. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const WORKING_DAYS = 5;

export type SendWindow = Schemas['SendWindow'];

/** Like `09:00 to 18:00, Mon to Fri, contact time`. */
export function windowWords({ from, to, days, timezone, fallback }: SendWindow): string {
  const zone = timezone === 'contact' ? `contact time, or ${fallback}` : timezone;
  const on = days ? `, ${dayWords(days)}` : '';
  return `${from} to ${to}${to < from ? ' the next day' : ''}${on}, ${zone}`;
}

function dayWords(days: readonly number[]): string {
  if (days.length === WEEKDAYS.length) return 'every day';
  if (days.length === WORKING_DAYS && days.every((day, index) => day === index + 1)) return 'Mon to Fri';
  return days.map((day) => WEEKDAYS[day - 1]).join(', ');
}

/** What a sequence or a campaign says of its own; undefined: nothing, so it goes by that of the project. */
export function choiceWords(choice: Schemas['SendWindowChosen'] | null | undefined): string | undefined {
  return choice === 'none' ? 'at any time' : choice ? windowWords(choice) : undefined;
}
