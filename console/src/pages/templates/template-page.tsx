import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page } from '../../frame/page.tsx';
import { Empty } from '../../show/empty.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { TemplateEditor } from './template-editor.tsx';
import { templateContentQuery, templateSchemaQuery, templatesQuery } from './template-queries.ts';

interface Given {
  readonly templateKey: string;
  /** Its slug; undefined: the project's default. */
  readonly brand: string | undefined;
}

/** One template as a brand has it: what it says, what it takes, and how its mail looks. */
export function TemplatePage({ templateKey, brand }: Given): ReactNode {
  const templates = useQuery(templatesQuery(brand));
  const content = useQuery(templateContentQuery(templateKey, brand));
  const schema = useQuery(templateSchemaQuery(templateKey, brand));
  const template = templates.data?.find(({ key }) => key === templateKey);
  const error = templates.error ?? content.error ?? schema.error;
  if (template && content.data && schema.data) {
    return <TemplateEditor template={template} brand={brand} stored={content.data} schema={schema.data} />;
  }
  const isGone = templates.data !== undefined && !template;
  return (
    <Page title={error || isGone ? 'Template' : undefined} back={{ to: '/', label: 'Templates' }}>
      {error && !isGone ? (
        <FailureNotice error={error} onRetry={() => Promise.all([templates.refetch(), content.refetch(), schema.refetch()])} />
      ) : null}
      {isGone ? <Empty title="There is no such template" text="It may have been deleted meanwhile, or belong to another project." /> : null}
    </Page>
  );
}
