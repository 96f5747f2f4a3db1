const NAMES = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });
/** Gives undefined where a tag is of no language that is known, rather than the tag. */
const KNOWN = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** What a language is called; `null`: the default. */
export function languageName(locale: string | null): string {
  return locale === null ? 'Default' : (nameIn(NAMES, locale) ?? locale);
}

/** Browsers name languages, scripts and regions. They throw for a tag with more, like `de-u-co-phonebk` or `en-x-a1`. */
function nameIn(names: Intl.DisplayNames, tag: string): string | undefined {
  try {
    return names.of(tag);
  } catch {
    return undefined;
  }
}

/** The same with its tag, where the name alone could be that of another. */
export function languageWords(locale: string | null): string {
  const name = languageName(locale);
  return locale === null || name === locale ? name : `${name} (${locale})`;
}

/** Offered for a start; any other may be typed. */
export const COMMON_LANGUAGES = [
  ...[
    'en',
    'de',
    'fr',
    'es',
    'it',
    'pt',
    'nl',
    'pl',
    'cs',
    'da',
    'sv',
    'nb',
    'fi',
    'tr',
    'uk',
    'ru',
    'el',
    'hu',
    'ro',
    'bg',
    'hr',
    'sk',
    'sl',
  ],
  ...['ja', 'ko', 'zh-Hans', 'zh-Hant', 'ar', 'he', 'hi', 'id', 'th', 'vi'],
  ...['en-GB', 'en-US', 'de-AT', 'de-CH', 'fr-CA', 'es-MX', 'pt-BR'],
] as const;

/** The language that was typed: as it is offered, by its name, or by its tag in any spelling. undefined: it is none. */
export function languageTyped(text: string): string | undefined {
  const typed = text.trim().toLowerCase();
  return (
    COMMON_LANGUAGES.find((tag) => [languageWords(tag), languageName(tag)].some((name) => name.toLowerCase() === typed)) ?? tagTyped(typed)
  );
}

function tagTyped(typed: string): string | undefined {
  try {
    const [tag] = Intl.getCanonicalLocales(typed.replaceAll('_', '-'));
    return tag && nameIn(KNOWN, new Intl.Locale(tag).language) ? tag : undefined;
  } catch {
    return undefined;
  }
}
