/** A date, or a date and time; without an offset it is UTC. */
const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Below, at or above 0 as `left` comes before, with or after `right`; undefined when the two have no order.
 * Numbers compare as numbers, ISO 8601 dates as instants, other texts by their characters, all case-sensitive; true and
 * false only equal themselves. Nothing compares across these types, so "10" is never above 9, nor "soon" above a date.
 */
export function compare(left: unknown, right: unknown): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && left === right) return 0;
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  const [leftInstant, rightInstant] = [instantOf(left), instantOf(right)];
  if (leftInstant !== undefined && rightInstant !== undefined) return leftInstant - rightInstant;
  if (leftInstant !== undefined || rightInstant !== undefined) return undefined;
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The same text for values that `compare` finds equal, another for every other; undefined for what equals nothing. */
export function equalityKey(value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? `n${value + 0}` : undefined;
  if (typeof value !== 'string') return undefined;
  const instant = instantOf(value);
  return instant === undefined ? `t${value}` : `i${instant}`;
}

/** Milliseconds since the epoch; undefined when the text is no ISO 8601 date of a day that exists. */
export function instantOf(text: string): number | undefined {
  const match = ISO_DATE.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, , , offset] = match;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Date.UTC turns 30 February into a day of March.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const instant = Date.parse(hour === undefined || offset !== undefined ? text : `${text}Z`);
  return Number.isNaN(instant) ? undefined : instant;
}
