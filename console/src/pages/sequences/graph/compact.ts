const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number in the room of a few letters. */
export function compact(count: number): string {
  return COMPACT.format(count);
}
