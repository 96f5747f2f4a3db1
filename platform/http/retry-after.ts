import type { IncomingHttpHeaders } from 'node:http';

/** The Retry-After header in seconds (RFC 9110 10.2.3), whether it gives a number or a date. */
export function retryAfterSeconds(headers: IncomingHttpHeaders, now: number): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
