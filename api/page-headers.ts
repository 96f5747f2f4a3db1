/** The headers of every page for people. `policy`: the Content-Security-Policy directives beside those that allow nothing. */
export function pageHeaders(policy: readonly string[]): Readonly<Record<string, string>> {
  const strict = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [...strict, ...policy].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
}
