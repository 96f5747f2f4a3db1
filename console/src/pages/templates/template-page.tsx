import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DetailSkeleton } from '../../frame/detail.tsx';
import { Gone, Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { TemplateEditor } from './edit/template-editor.tsx';
import { NewTemplate } from './new-template.tsx';
import { TEMPLATE_LIST, templateContentQuery, templateSchemaQuery, templatesQuery } from './template-queries.ts';

interface Given {
  readonly templateKey: string;
  /** Its slug; undefined: the project's default. */
  readonly brand: string | undefined;
  /** A copy of it is made, rather than it changed. */
  readonly isCopied?: boolean;
}

/** One template as a brand has it: what it says, what it takes, and how its mail looks. */
export function TemplatePage({ templateKey, brand, isCopied = false }: Given): ReactNode {
  const templates = useQuery(templatesQuery(brand));
  const content = useQuery(templateContentQuery(templateKey, brand));
  const schema = useQuery(templateSchemaQuery(templateKey, brand));
  const template = templates.data?.find(({ key }) => key === templateKey);
  const error = templates.error ?? content.error ?? schema.error;
  if (template && content.data && schema.data) {
    const all = { template, brand, stored: content.data, schema: schema.data };
    return isCopied ? <NewTemplate source={all} /> : <TemplateEditor {...all} />;
  }
  const isGone = templates.data !== undefined && !template;
  return (
    <Page title={error || isGone ? 'Template' : undefined} back={TEMPLATE_LIST}>
      {error && !isGone ? (
        <Unread
          error={error}
          onRetry={() => Promise.all([templates.refetch(), content.refetch(), schema.refetch()])}
          what="template"
          back={TEMPLATE_LIST}
        />
      ) : null}
      {error || isGone ? null : <DetailSkeleton />}
      {isGone ? <Gone what="template" back={TEMPLATE_LIST} /> : null}
    </Page>
  );
}
