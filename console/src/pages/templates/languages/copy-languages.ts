import { answerOf, api } from '../../../api/client.ts';
import { readContent, type StoredContent } from '../template-queries.ts';
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
    if (published) await putVersion(copy, { ...published, locale, publish: true });
    const drafted = draft ?? (published ? undefined : { content: defaultContent });
    if (drafted) await putVersion(copy, { ...drafted, locale, publish: false });
  }
}

interface Version extends Pick<NonNullable<StoredContent['draft']>, 'content' | 'subject'> {
  /** The default when omitted. */
  readonly locale?: string;
  readonly publish: boolean;
}

/** For the project's default brand, as whose a new template is shown. */
export function putVersion(key: string, { content, subject, locale, publish }: Version) {
  const body = { content, publish, ...(subject ? { subject } : {}), ...(locale ? { locale } : {}) };
  return answerOf(api.PUT('/templates/{key}/content', { params: { path: { key } }, body }));
}
