import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { NotHere } from '../../frame/not-here.tsx';
import { DomainList } from './domain-list.tsx';
import { DomainPage } from './domain-page.tsx';
import { domainsQuery } from './domain-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(domainsQuery());
}

export default function DomainsSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <DomainList />
      </Route>
      <Route path="/:id">{({ id }) => <DomainPage key={id} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
