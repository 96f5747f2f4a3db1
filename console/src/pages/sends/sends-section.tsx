import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { SendList } from './send-list.tsx';
import { SendPage } from './send-page.tsx';

export default function SendsSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <SendList />
      </Route>
      <Route path="/:id">{({ id }) => <SendPage id={decodeURIComponent(id)} />}</Route>
    </Switch>
  );
}
