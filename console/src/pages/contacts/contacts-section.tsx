import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { ContactList } from './contact-list.tsx';
import { ContactPage } from './contact-page.tsx';
import { contactsQuery } from './contact-queries.ts';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(contactsQuery({}));
}

export default function ContactsSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <ContactList />
      </Route>
      <Route path="/:id">{({ id }) => <ContactPage id={id} />}</Route>
    </Switch>
  );
}
