/** The Retry-After header in seconds (RFC 9110 10.2.3), whether it gives a number or a date; the first of several. */
export function retryAfterSeconds(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  now: number,
): number | undefined {
  const value = [headers['retry-after']].flat()[0];
  if (value === undefined) return undefined;
  // Infinity would be lost on its way through JSON.
  if (/^\d+$/.test(value)) return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
