/** What a key may be allowed to do: the table of docs/contract/http.md 25. `*` grants everything. */
export const SCOPES = [
  'contacts:read',
  'contacts:write',
  'send',
  'sends:read',
  'templates:write',
  'sequences:write',
  'campaigns:write',
  'suppressions:write',
  'webhooks:write',
  'keys:read',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Each scope that these come to. */
export function granted(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((needed) => grants(scopes, needed));
}

export function grants(scopes: readonly string[], needed: Scope): boolean {
  return scopes.includes('*') || scopes.includes(needed);
}
