import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client.ts';
import type { Tone } from '../../../show/status.tsx';
import { TEMPLATES } from '../template-queries.ts';

export type TemplateLanguage = Schemas['TemplateLanguage'];

/** The default first, then the others by their tags. */
export function languagesQuery(key: string, brand?: string) {
  return queryOptions({
    queryKey: [...TEMPLATES, key, 'languages', brand],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/templates/{key}/languages', { params: { path: { key }, query: brand ? { brand } : {} }, signal })))
        .languages,
  });
}

/** How a language stands beside the default. */
export interface LanguageState {
  readonly word: string;
  readonly tone: Tone;
  /** Somebody has to do something about it. */
  readonly isOpen: boolean;
}

const PUBLISHED: LanguageState = { word: 'published', tone: 'good', isOpen: false };
const BUILT_IN: LanguageState = { word: 'built-in', tone: 'idle', isOpen: false };
const BEHIND: LanguageState = { word: 'behind', tone: 'warning', isOpen: true };
const NOT_PUBLISHED: LanguageState = { word: 'not published', tone: 'idle', isOpen: true };

/** Behind: emails say it, and the default was published after it. Not published: no email says it. */
export function stateOf({ published, ships, behind, locale }: TemplateLanguage): LanguageState {
  if (published) return behind ? BEHIND : PUBLISHED;
  if (locale === null) return BUILT_IN;
  return ships && !behind ? BUILT_IN : NOT_PUBLISHED;
}
