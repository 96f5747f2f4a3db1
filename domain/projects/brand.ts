import { MAX_URL_LENGTH } from '../text-lengths.ts';

/** Brands of a project, beyond which the API makes none. */
export const MOST_BRANDS = 100;

/** Of the address that stands at the end of marketing mail. */
export const MAX_POSTAL_ADDRESS = 500;

/** Projects and brands are named by slugs: they stand in records, headers and addresses. */
export const SLUG_PATTERN = '[a-z0-9][a-z0-9_-]{0,63}';
export const SLUG = new RegExp(`^${SLUG_PATTERN}$`);
export const SLUG_RULE = '1 to 64 characters a-z, 0-9, _ and -, the first a letter or a digit';

export const COLOR = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** The URL as browsers write it; undefined when mails cannot link to it, or show what is there. */
export function readBrandUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || text.length > MAX_URL_LENGTH) return undefined;
  return url.href;
}
