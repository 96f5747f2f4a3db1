/** What a key may be allowed to do: the table of docs/contract/http.md 25. `*` grants everything. */
export const SCOPES = [
  'contacts:read',
  'contacts:write',
  'segments:read',
  'send',
  'sends:read',
  'templates:read',
  'templates:write',
  'sequences:read',
  'sequences:write',
  'campaigns:read',
  'campaigns:write',
  'suppressions:read',
  'suppressions:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'keys:write',
  'brands:write',
  'domains:write',
  'topics:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * Reading scopes, each with the scope that includes it. A key that has none of them reads what any key reads; one that has some reads of their
 * areas what its scopes name, and nothing else: docs/contract/http.md 29.
 */
const READING = {
  'segments:read': 'contacts:write',
  'templates:read': 'templates:write',
  'sequences:read': 'sequences:write',
  'campaigns:read': 'campaigns:write',
  'suppressions:read': 'suppressions:write',
  'webhooks:read': 'webhooks:write',
} as const satisfies Partial<Record<Scope, Scope>>;

/** Each scope that another includes. */
const INCLUDED_IN: Readonly<Partial<Record<Scope, Scope>>> = { ...READING, 'keys:read': 'keys:write' };

type ReadingScope = keyof typeof READING;

/** What is read with any key that has no reading scope. Sequences never were. */
const READ_BY_ANY: readonly Scope[] = ['segments:read', 'templates:read', 'campaigns:read', 'suppressions:read', 'webhooks:read'];

/** Scopes that go together, by what their holder does. */
export const PRESETS = {
  /** Reads everything, and changes nothing. */
  viewer: [
    'contacts:read',
    'segments:read',
    'sends:read',
    'templates:read',
    'sequences:read',
    'campaigns:read',
    'suppressions:read',
    'webhooks:read',
    'keys:read',
  ],
  /** Writes to people: all but programs and keys. */
  marketer: [
    'contacts:read',
    'contacts:write',
    'segments:read',
    'send',
    'sends:read',
    'templates:read',
    'templates:write',
    'sequences:read',
    'sequences:write',
    'campaigns:read',
    'campaigns:write',
    'suppressions:read',
    'suppressions:write',
    'topics:write',
  ],
  /** A program that sends mails, tells of people and what they do, and reads templates. */
  sender: ['contacts:write', 'send', 'templates:read', 'sequences:write'],
  everything: ['*'],
} as const satisfies Readonly<Record<string, readonly (Scope | '*')[]>>;

/** Each scope that these come to, those that others include or that any key has among them. */
export function granted(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((needed) => grants(scopes, needed));
}

/** Each scope that is named, with `*` spelled out. */
export function named(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes('*') || scopes.includes(scope));
}

export function grants(scopes: readonly string[], needed: Scope): boolean {
  if (scopes.includes('*') || scopes.includes(needed)) return true;
  const including = INCLUDED_IN[needed];
  return (including !== undefined && scopes.includes(including)) || (READ_BY_ANY.includes(needed) && !areReadsNamed(scopes));
}

/** What a key with `scopes` could do and one with `holder` cannot: what `holder` may not hand on. `*` stands for scopes of later versions, too. */
export function beyond(scopes: readonly string[], holder: readonly string[]): (Scope | '*')[] {
  if (holder.includes('*')) return [];
  if (scopes.includes('*')) return ['*'];
  return granted(scopes).filter((scope) => !grants(holder, scope));
}

/** Whether the key reads of templates, sequences and so on only what its scopes name. */
export function areReadsNamed(scopes: readonly string[]): boolean {
  return !scopes.includes('*') && scopes.some(isReading);
}

/** Which scopes let it be done, as in `templates:read (or templates:write, which includes it)`. */
export function scopeWords(needed: Scope): string {
  const including = INCLUDED_IN[needed];
  return including ? `${needed} (or ${including}, which includes it)` : needed;
}

/** Whether any key has it that has no reading scope. */
export function isReadByAny(scope: Scope): boolean {
  return READ_BY_ANY.includes(scope);
}

function isReading(scope: string): scope is ReadingScope {
  return Object.hasOwn(READING, scope);
}
