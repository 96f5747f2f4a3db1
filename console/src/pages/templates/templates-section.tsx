import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useFilters } from '../../frame/filters.ts';
import { useSession } from '../../session/session.tsx';
import { NewTemplate } from './new-template.tsx';
import { TemplateList } from './template-list.tsx';
import { TemplatePage } from './template-page.tsx';
import { templatesQuery } from './template-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(templatesQuery());
}

export default function TemplatesSection(): ReactNode {
  const { may } = useSession();
  const brand = useFilters(['brand']).get('brand') || undefined;
  return (
    <Switch>
      <Route path="/">
        <TemplateList />
      </Route>
      {may('templates:write') ? (
        <Route path="/new">
          <NewTemplate />
        </Route>
      ) : null}
      <Route path="/:key">
        {({ key }) => <TemplatePage key={`${key} ${brand}`} templateKey={decodeURIComponent(key)} brand={brand} />}
      </Route>
    </Switch>
  );
}
