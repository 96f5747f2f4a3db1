/** What a mail says by itself, by language. */
const UNSUBSCRIBE: Readonly<Record<string, string>> = {
  cs: 'Odhlásit odběr',
  da: 'Afmeld',
  de: 'Abmelden',
  es: 'Darse de baja',
  fi: 'Peru tilaus',
  fr: 'Se désabonner',
  it: 'Annulla iscrizione',
  nl: 'Afmelden',
  pl: 'Wypisz się',
  pt: 'Cancelar inscrição',
  sv: 'Avsluta prenumerationen',
};

/** The language of a mail that is in none by name. */
const LANGUAGE = 'en';

/** What BCP 47 writes for a language that is not known. */
const NO_LANGUAGE = 'und';

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

/** How a mail in a language names itself and its link; undefined: the default. In English where there is no word. */
export interface LanguageWords {
  /** BCP 47. */
  readonly tag: string;
  readonly isRightToLeft: boolean;
  readonly unsubscribe: string;
}

export function languageWords(locale: string | undefined): LanguageWords {
  const given = new Intl.Locale(locale ?? LANGUAGE);
  const tag = given.language === NO_LANGUAGE ? new Intl.Locale(LANGUAGE) : given;
  const script = tag.maximize().script ?? '';
  return { tag: tag.toString(), isRightToLeft: RIGHT_TO_LEFT.has(script), unsubscribe: UNSUBSCRIBE[tag.language] ?? 'Unsubscribe' };
}
