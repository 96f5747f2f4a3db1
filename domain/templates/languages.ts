/** What a template says in one language: a version of its own, with its own subject. */
export interface LanguageVersion {
  readonly version: number;
  /** Liquid. Empty: that of the default. */
  readonly subject: string;
}

/** The published languages of a template beside its default, by BCP 47 tag in its usual spelling. */
export type Languages = Readonly<Record<string, LanguageVersion>>;

export const NO_LANGUAGES: Languages = {};

/** Languages of one template of one brand. */
export const MOST_LANGUAGES = 50;

/** The column of a version that is of no language: the default, which everybody gets for whom there is nothing nearer. */
export const DEFAULT_LANGUAGE = '';

/**
 * Which language a reader of this locale gets: RFC 4647 3.4, from the whole tag to its language alone. undefined: the default. `locale` is a BCP 47 tag in
 * any spelling.
 */
export function languageFor(locale: string | null | undefined, languages: Readonly<Record<string, unknown>>): string | undefined {
  if (!locale) return undefined;
  const tags = Object.keys(languages);
  if (tags.length === 0) return undefined;
  const known = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  const parts = locale.toLowerCase().split(/[-_]/);
  for (let length = parts.length; length > 0; length--) {
    const found = known.get(parts.slice(0, length).join('-'));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether the default says something that a language does not yet: all share their numbers, so the higher one was published later. Behind is also what says
 * nothing yet, but not what ships while mails say that. `language`, `ofDefault`: what is published of each.
 */
export function isLanguageBehind(
  language: Pick<LanguageVersion, 'version'> | null | undefined,
  ofDefault: Pick<LanguageVersion, 'version'> | null | undefined,
  ships: boolean,
): boolean {
  if (language) return (ofDefault?.version ?? 0) > language.version;
  return !ships || ofDefault != null;
}
