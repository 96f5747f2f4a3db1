import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { KeyMayNot, NotHere } from '../../frame/not-here.tsx';
import { useSession } from '../../session/session.tsx';
import { ContactList } from './contact-list.tsx';
import { ContactPage } from './contact-page.tsx';
import { contactsQuery } from './contact-queries.ts';
import { EditContact } from './edit-contact.tsx';
import { NewContact } from './new-contact.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(contactsQuery({}));
}

export default function ContactsSection(): ReactNode {
  const { may } = useSession();
  return (
    <Switch>
      <Route path="/">
        <ContactList />
      </Route>
      <Route path="/new">
        {may('contacts:write') ? (
          <NewContact />
        ) : (
          <KeyMayNot title="New contact" back={{ to: '/', label: 'Contacts' }} deed="add contacts" scope="contacts:write" />
        )}
      </Route>
      <Route path="/:id/edit">{({ id }) => (may('contacts:write') ? <EditContact key={id} id={id} /> : <ContactPage id={id} />)}</Route>
      <Route path="/:id">{({ id }) => <ContactPage key={id} id={id} />}</Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}
