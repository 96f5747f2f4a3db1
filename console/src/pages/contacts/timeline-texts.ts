/** What the API tells of an entry of a timeline, by its kind. */
export type Details = Readonly<Record<string, unknown>>;

/** As it is written; nothing of what is not there. */
export function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Words of the API, those that are there. */
export function dotted(...parts: readonly unknown[]): string {
  return parts
    .map((part) => text(part).replaceAll('_', ' '))
    .filter(Boolean)
    .join(' · ');
}

/** Of what happened more than once. */
export function times(count: unknown): string {
  return Number(count) > 1 ? `${Number(count)} times in total` : '';
}

/** Whether a bounce is for good, and its code. */
export function bounceText(bounce: unknown): string {
  if (typeof bounce !== 'object' || bounce === null) return '';
  const { kind, code } = bounce as Details;
  return [kind === 'hard' ? 'for good' : 'it may pass', text(code)].filter(Boolean).join(', ');
}
