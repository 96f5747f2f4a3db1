import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { NotHere } from '../../frame/not-here.tsx';
import { SendList } from './send-list.tsx';
import { SendPage } from './send-page.tsx';
import { sendsQuery, templateKeysQuery } from './send-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(sendsQuery({}));
  void queries.prefetchQuery(templateKeysQuery());
}

export default function SendsSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <SendList />
      </Route>
      <Route path="/:id">{({ id }) => <SendPage id={decodeURIComponent(id)} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
