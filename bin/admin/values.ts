import { asciiDomain } from '../../domain/contacts/domain-name.ts';
import { normalizeEmail } from '../../domain/contacts/email-address.ts';
import { COLOR, MAX_POSTAL_ADDRESS, readBrandUrl, SLUG, SLUG_RULE } from '../../domain/projects/brand.ts';
import { PRESETS, SCOPES } from '../../domain/projects/scopes.ts';
import { MAX_NAME_LENGTH } from '../../domain/text-lengths.ts';

/** Something that a person at the terminal can mend; told in one line. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}

/** Of a project or brand. */
export function slugOf(text: string, what: string): string {
  if (!SLUG.test(text)) throw new AdminError(`${what} "${text}" should be ${SLUG_RULE}`);
  return text;
}

export function nameOf(text: string, option: string): string {
  if (text.trim() === '' || text.length > MAX_NAME_LENGTH) throw new AdminError(`${option} should be 1 to ${MAX_NAME_LENGTH} characters`);
  return singleLine(text, option);
}

/** Printed at the end of marketing mail; it may have several lines. */
export function postalAddressOf(text: string): string {
  if (text.trim() === '' || text.length > MAX_POSTAL_ADDRESS) {
    throw new AdminError(`--address should be 1 to ${MAX_POSTAL_ADDRESS} characters`);
  }
  return text;
}

export function emailOf(text: string, option: string): string {
  const email = normalizeEmail(text);
  if (email === undefined) throw new AdminError(`${option} "${text}" is not a valid email address`);
  return email;
}

export function urlOf(text: string, option: string): string {
  const url = readBrandUrl(text);
  if (url === undefined) throw new AdminError(`${option} "${text}" should be a URL like https://example.com/logo.png`);
  return url;
}

export function colorOf(text: string): string {
  if (!COLOR.test(text)) throw new AdminError(`--color "${text}" should be a colour like #1a73e8`);
  return text.toLowerCase();
}

/** A name below which sender addresses may be. */
export function domainOf(text: string): string {
  const domain = asciiDomain(text.trim().replace(/\.$/, ''));
  if (domain === undefined) throw new AdminError(`"${text}" is not a domain like example.com`);
  return domain;
}

/** `a,b`, `*`, or the name of a preset among them. */
export function scopesOf(text: string): string[] {
  const presets: Readonly<Record<string, readonly string[]>> = PRESETS;
  const words = text.split(',').map((word) => word.trim());
  const scopes = [...new Set(words.flatMap((word) => (Object.hasOwn(presets, word) ? (presets[word] ?? []) : word)))];
  const unknown = scopes.filter((scope) => scope !== '*' && !(SCOPES as readonly string[]).includes(scope));
  if (unknown.length > 0)
    throw new AdminError(
      `unknown scope "${unknown[0]}"; the scopes are ${SCOPES.join(', ')} and *, the presets ${Object.keys(PRESETS).join(', ')}`,
    );
  return scopes;
}

/** Of a setting that is one or the other. */
export function onOrOff(text: string, option: string): boolean {
  if (text !== 'on' && text !== 'off') throw new AdminError(`${option} should be on or off`);
  return text === 'on';
}

export function idOf(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new AdminError(`"${text}" is not an id`);
  return text.toLowerCase();
}

function singleLine(text: string, option: string): string {
  if (/\p{Cc}/u.test(text)) throw new AdminError(`${option} should have no line breaks or control characters`);
  return text;
}
