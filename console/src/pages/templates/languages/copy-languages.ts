import { answerOf, api } from '../../../api/client.ts';
import { type Edition, readContent, type StoredContent } from '../template-queries.ts';
import type { TemplateLanguage } from './language-queries.ts';

interface Copied {
  readonly key: string;
  readonly brand: string | undefined;
  readonly languages: readonly TemplateLanguage[];
}

/** Copies what a template says in other languages than its default: what is published is published in the copy, and what ships is a draft there. */
export async function copyLanguages({ key, brand, languages }: Copied, copy: string): Promise<void> {
  for (const { locale } of languages) {
    if (locale === null) continue;
    const { published, draft, defaultContent } = await readContent(key, { brand, locale });
    if (published) await put(copy, locale, { ...published, publish: true });
    const drafted = draft ?? (published ? undefined : { content: defaultContent });
    if (drafted) await put(copy, locale, { ...drafted, publish: false });
  }
}

interface Version extends Pick<NonNullable<StoredContent['draft']>, 'content' | 'subject'> {
  readonly publish: boolean;
}

function put(key: string, locale: NonNullable<Edition['locale']>, { content, subject, publish }: Version) {
  const body = { content, publish, locale, ...(subject ? { subject } : {}) };
  return answerOf(api.PUT('/templates/{key}/content', { params: { path: { key } }, body }));
}
