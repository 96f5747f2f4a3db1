import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useFilters } from '../../frame/filters.ts';
import { Allowed, NotHere } from '../../frame/not-here.tsx';
import { NewTemplate } from './new-template.tsx';
import { TemplateList } from './template-list.tsx';
import { TemplatePage } from './template-page.tsx';
import { COPIED, NEW_TEMPLATE, TEMPLATE_LIST, templatesQuery } from './template-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(templatesQuery());
}

export default function TemplatesSection(): ReactNode {
  const asked = useFilters(['brand', 'locale', COPIED]);
  const brand = asked.get('brand') || undefined;
  const locale = asked.get('locale') || undefined;
  const copied = asked.get(COPIED);
  return (
    <Switch>
      <Route path="/">
        <TemplateList />
      </Route>
      <Route path={NEW_TEMPLATE}>
        <Allowed title="New template" back={TEMPLATE_LIST} deed="make templates" operation="POST /templates">
          {copied ? <TemplatePage key={`${copied} ${brand}`} templateKey={copied} brand={brand} isCopied /> : <NewTemplate />}
        </Allowed>
      </Route>
      <Route path="/:key">
        {({ key }) => (
          <TemplatePage key={`${key} ${brand} ${locale}`} templateKey={decodeURIComponent(key)} brand={brand} locale={locale} />
        )}
      </Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
