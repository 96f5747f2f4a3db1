import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { NotHere } from '../../frame/not-here.tsx';
import { EndpointList } from './endpoint-list.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { endpointsQuery } from './webhook-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(endpointsQuery());
}

export default function WebhooksSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <EndpointList />
      </Route>
      <Route path="/:id">{({ id }) => <EndpointPage key={id} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
