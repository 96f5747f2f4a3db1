import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Allowed, NotHere } from '../../frame/not-here.tsx';
import { RecurringCampaigns } from './recurring-list.tsx';
import { RecurringPage } from './recurring-page.tsx';
import { RECURRING_LIST, recurringListQuery } from './recurring-queries.ts';
import { EditRecurring, NewRecurring } from './write-recurring.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(recurringListQuery({}));
}

export default function RecurringSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <RecurringCampaigns />
      </Route>
      <Route path="/new">
        <Allowed title="New recurring campaign" back={RECURRING_LIST} deed="write campaigns" operation="POST /recurring-campaigns">
          <NewRecurring />
        </Allowed>
      </Route>
      <Route path="/:id/edit">
        {({ id }) => (
          <Allowed
            title="Change recurring campaign"
            back={{ to: `/${id}`, label: 'Recurring campaign' }}
            deed="write campaigns"
            operation="PATCH /recurring-campaigns/{id}"
          >
            <EditRecurring key={id} id={id} />
          </Allowed>
        )}
      </Route>
      <Route path="/:id">{({ id }) => <RecurringPage key={id} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
