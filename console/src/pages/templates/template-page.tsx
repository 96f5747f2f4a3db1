import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DetailSkeleton } from '../../frame/detail.tsx';
import { Gone, Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { TemplateEditor } from './edit/template-editor.tsx';
import { languagesQuery } from './languages/language-queries.ts';
import { NewTemplate } from './new-template.tsx';
import { TEMPLATE_LIST, templateContentQuery, templateHref, templateSchemaQuery, templatesQuery } from './template-queries.ts';

interface Given {
  readonly templateKey: string;
  /** Its slug; undefined: the project's default. */
  readonly brand: string | undefined;
  /** Of the languages; undefined: the default. */
  readonly locale?: string | undefined;
  /** A copy of it is made, rather than it changed. */
  readonly isCopied?: boolean;
}

/** One template as a brand has it: what it says, what it takes, and how its mail looks, in one of its languages. */
export function TemplatePage({ templateKey, brand, locale, isCopied = false }: Given): ReactNode {
  const templates = useQuery(templatesQuery(brand));
  const ofDefault = useQuery(templateContentQuery(templateKey, { brand, locale: undefined }));
  const content = useQuery(templateContentQuery(templateKey, { brand, locale }));
  const schema = useQuery(templateSchemaQuery(templateKey, brand));
  const languages = useQuery(languagesQuery(templateKey, brand));
  const template = templates.data?.find(({ key }) => key === templateKey);
  const reads = [templates, ofDefault, content, schema, languages];
  const error = reads.find((read) => read.error)?.error;
  if (template && ofDefault.data && content.data && schema.data && languages.data) {
    const all = { template, brand, stored: content.data, schema: schema.data, languages: languages.data };
    if (isCopied) return <NewTemplate source={all} />;
    if (languages.data.some((language) => language.locale === (locale ?? null)))
      return <TemplateEditor {...all} locale={locale} ofDefault={ofDefault.data} />;
    const back = { to: templateHref(templateKey, brand), label: template.name || templateKey };
    return (
      <Page title={template.name || templateKey} back={back}>
        <Gone what="language" back={back} />
      </Page>
    );
  }
  const isGone = templates.data !== undefined && !template;
  return (
    <Page title={error || isGone ? 'Template' : undefined} back={TEMPLATE_LIST}>
      {error && !isGone ? (
        <Unread error={error} onRetry={() => Promise.all(reads.map((read) => read.refetch()))} what="template" back={TEMPLATE_LIST} />
      ) : null}
      {error || isGone ? null : <DetailSkeleton />}
      {isGone ? <Gone what="template" back={TEMPLATE_LIST} /> : null}
    </Page>
  );
}
